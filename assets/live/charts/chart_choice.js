// Which charts are shown: on the page the main ones and those that the reader has added; on the stage and on
// a phone one chart of choice.

export class ChartChoice {
  mode = "page"; // "page" | "present" | "phone"
  specs = []; // of all charts, in order
  #extra = new Set(); // names of the charts that can be added
  #opened = new Set(); // names of the charts that have been added
  #turn = null; // number of the page's list of added charts that was adopted last
  #picked = {}; // group → name of the chart shown, for charts that share one place
  #slots = []; // charts chosen in the other modes, the newest last

  /**
   * Take over the page's list of added charts, which is new at the start and with each preset.
   *
   * @returns whether it is new
   */
  adopt({ opened = [], opened_turn: turn = 0 }) {
    if (this.#turn === turn) return false;
    this.#turn = turn;
    this.#opened = new Set(opened);
    this.#slots = this.#slots.filter((name) => !this.isExtra(name) || this.#opened.has(name));
    for (const name of opened) this.put(name);
    return true;
  }

  /** Whether a list of the page has been adopted. */
  get begun() {
    return this.#turn !== null;
  }

  /**
   * Take other charts. What has been added or picked stays so, by name.
   *
   * @param fixed whether charts can be neither added nor removed: then only the added ones exist
   */
  setCharts(main, more, fixed) {
    if (fixed) more = more.filter(({ name }) => this.#opened.has(name));
    this.specs = [...main, ...more];
    this.#extra = new Set(more.map(({ name }) => name));
  }

  /** Choose charts that share one place where the reader has not chosen any, and forget those that are gone. */
  complete() {
    const names = this.specs.map(({ name }) => name);
    for (const { name, switch: group } of this.specs) if (group) this.#picked[group.group] ??= name;
    this.#slots = this.#slots.filter((name) => names.includes(name));
  }

  isExtra(name) {
    return this.#extra.has(name);
  }

  /** The charts that can be added, or have been. */
  get extra() {
    return this.specs.filter(({ name }) => this.isExtra(name));
  }

  /** Whether a chart has been added. */
  opened(name) {
    return this.#opened.has(name) && this.isExtra(name);
  }

  /** The names of the charts that have been added. */
  get allOpened() {
    return [...this.#opened];
  }

  /** Add a chart, or remove it. @returns whether it has been added */
  toggle(name) {
    if (!this.#opened.delete(name)) this.#opened.add(name);
    const open = this.opened(name);
    if (open) this.put(name);
    else this.#slots = this.#slots.filter((other) => other !== name);
    return open;
  }

  /** The charts that share one place with this one, including itself. */
  groupOf(spec) {
    return this.specs.filter((other) => other.switch?.group === spec.switch.group);
  }

  /** Pick this one of the charts that share its place. */
  pickInGroup(spec) {
    this.#picked[spec.switch.group] = spec.name;
    const group = this.groupOf(spec);
    const at = this.#slots.findIndex((name) => group.some((other) => other.name === name));
    if (at >= 0) this.#slots[at] = spec.name;
  }

  /** Choose the chart for the other modes. */
  put(name) {
    this.#slots = [...this.#slots.filter((other) => other !== name), name].slice(-2);
  }

  /** The name of the chart shown in the other modes: the one chosen last, or else the first main one. */
  get chosen() {
    const main = this.specs.find((spec) => !this.isExtra(spec.name) && this.#onPage(spec));
    return this.#slots.at(-1) ?? main?.name;
  }

  /** Whether a chart is shown in the present mode. */
  shows(spec) {
    return this.mode === "page" ? this.#onPage(spec) : this.chosen === spec.name;
  }

  #onPage(spec) {
    if (this.isExtra(spec.name)) return this.opened(spec.name);
    return !spec.switch || this.#picked[spec.switch.group] === spec.name;
  }

  /**
   * The charts with a button of their own under the page's charts.
   *
   * @param names of them; undefined: all extra ones
   */
  often(names) {
    return this.extra.filter(({ name }) => !names || names.includes(name));
  }

  /** The charts with a button in the other modes: the main ones, the often used ones, the added ones. */
  choices(names) {
    const often = new Set(this.often(names));
    return this.specs.filter((spec) => !this.isExtra(spec.name) || often.has(spec) || this.opened(spec.name));
  }
}
