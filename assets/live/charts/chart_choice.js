// Choice of the charts to show. The page shows the main charts and those that the reader has added. The presentation
// view and a phone show one chosen chart.

export class ChartChoice {
  mode = "page"; // "page" | "present" | "phone"
  specs = []; // specs of all charts, in order
  #extra = new Set(); // names of the charts that can be added
  #opened = new Set(); // names of the charts that have been added
  #turn = null; // number (`opened_turn`) of the last list of added charts from the server, or null before the first
  #picked = {}; // name of the displayed chart of each group; the charts of a group share one place
  #slots = []; // names of the charts chosen in the presentation and phone modes, newest last

  /**
   * Adopt the page's list of added charts. The list is new when the page opens and with each preset.
   *
   * @returns whether the list is new
   */
  adopt({ opened = [], opened_turn: turn = 0 }) {
    if (this.#turn === turn) return false;
    this.#turn = turn;
    this.#opened = new Set(opened);
    this.#slots = this.#slots.filter((name) => !this.isExtra(name) || this.#opened.has(name));
    for (const name of opened) this.put(name);
    return true;
  }

  /** Return whether a list of added charts has been adopted yet. */
  get begun() {
    return this.#turn !== null;
  }

  /**
   * Replace the charts. Added and picked charts are kept if charts with the same names still exist.
   *
   * @param fixed whether charts can be neither added nor removed; if so, only the charts already added remain available
   */
  setCharts(main, more, fixed) {
    if (fixed) more = more.filter(({ name }) => this.#opened.has(name));
    this.specs = [...main, ...more];
    this.#extra = new Set(more.map(({ name }) => name));
  }

  /** In each group that has no picked chart, pick the first chart. Forget chosen charts that no longer exist. */
  complete() {
    const names = this.specs.map(({ name }) => name);
    for (const { name, switch: group } of this.specs) if (group) this.#picked[group.group] ??= name;
    this.#slots = this.#slots.filter((name) => names.includes(name));
  }

  isExtra(name) {
    return this.#extra.has(name);
  }

  /** Return the charts that can be added, including charts that have already been added. */
  get extra() {
    return this.specs.filter(({ name }) => this.isExtra(name));
  }

  /** Return whether a chart has been added. */
  opened(name) {
    return this.#opened.has(name) && this.isExtra(name);
  }

  /** Return the names of the charts that have been added. */
  get allOpened() {
    return [...this.#opened];
  }

  /**
   * Add a chart, or remove the chart if it was already added.
   *
   * @returns whether the chart is on the page now
   */
  toggle(name) {
    if (!this.#opened.delete(name)) this.#opened.add(name);
    const open = this.opened(name);
    if (open) this.put(name);
    else this.#slots = this.#slots.filter((other) => other !== name);
    return open;
  }

  /** Return the charts that share one place with this chart, including the chart itself. */
  groupOf(spec) {
    return this.specs.filter((other) => other.switch?.group === spec.switch.group);
  }

  /** Show this chart in the place that its group shares. */
  pickInGroup(spec) {
    this.#picked[spec.switch.group] = spec.name;
    const group = this.groupOf(spec);
    const at = this.#slots.findIndex((name) => group.some((other) => other.name === name));
    if (at >= 0) this.#slots[at] = spec.name;
  }

  /** Choose the chart for the presentation and phone modes. */
  put(name) {
    this.#slots = [...this.#slots.filter((other) => other !== name), name].slice(-2);
  }

  /**
   * Name of the chart shown in the presentation and phone modes: the chart that was chosen last, or else the first main
   * chart.
   */
  get chosen() {
    const main = this.specs.find((spec) => !this.isExtra(spec.name) && this.#onPage(spec));
    return this.#slots.at(-1) ?? main?.name;
  }

  /** Return whether a chart is shown in the current mode. */
  shows(spec) {
    return this.mode === "page" ? this.#onPage(spec) : this.chosen === spec.name;
  }

  #onPage(spec) {
    if (this.isExtra(spec.name)) return this.opened(spec.name);
    return !spec.switch || this.#picked[spec.switch.group] === spec.name;
  }

  /**
   * Return the charts that have a button of their own below the page's charts.
   * @param names names of these charts, or undefined for all charts that can be added
   */
  frequent(names) {
    return this.extra.filter(({ name }) => !names || names.includes(name));
  }

  /**
   * Return the charts that have a button in the presentation and phone modes: the main charts, the frequently used
   * charts and the added charts.
   */
  choices(names) {
    const frequent = new Set(this.frequent(names));
    return this.specs.filter((spec) => !this.isExtra(spec.name) || frequent.has(spec) || this.opened(spec.name));
  }
}
