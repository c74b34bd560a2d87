// Which of the charts stand on the page, and which are shown one or two at a time in the other modes.

export class ChartChoice {
  mode = "page"; // "page" | "present" | "phone"
  specs = []; // of all charts, in order
  #extra = new Set(); // names of those that can be added
  #opened = new Set(); // names of those that were added
  #turn = null; // the page's last word on them; null before the first
  #picked = {}; // chart shown in each switch group
  #slots = []; // charts shown in the other modes, newest last

  /** Follow what the page itself opened, at the start and with each preset; false if nothing new. */
  adopt({ opened = [], opened_turn: turn = 0 }) {
    if (this.#turn === turn) return false;
    this.#turn = turn;
    this.#opened = new Set(opened);
    this.#slots = this.#slots.filter((name) => !this.isExtra(name) || this.#opened.has(name));
    for (const name of opened) this.put(name);
    return true;
  }

  /** Whether the page has said which charts it opened. */
  get begun() {
    return this.#turn !== null;
  }

  /**
   * Other charts; what was opened or picked stays so by name.
   *
   * @param fixed whether none can be added: then only what the page opened is there, to stay
   */
  setCharts(main, more, fixed) {
    if (fixed) more = more.filter(({ name }) => this.#opened.has(name));
    this.specs = [...main, ...more];
    this.#extra = new Set(more.map(({ name }) => name));
  }

  /** Pick what nobody has picked yet. */
  complete() {
    const names = this.specs.map(({ name }) => name);
    for (const { name, switch: group } of this.specs) if (group) this.#picked[group.group] ??= name;
    this.#slots = this.#slots.filter((name) => names.includes(name));
    const main = this.specs.filter((spec) => !this.isExtra(spec.name) && this.#onPage(spec));
    for (const { name } of main) {
      if (this.#slots.length < 2 && !this.#slots.includes(name)) this.#slots.unshift(name);
    }
  }

  isExtra(name) {
    return this.#extra.has(name);
  }

  /** The charts that can be added. */
  get extra() {
    return this.specs.filter(({ name }) => this.isExtra(name));
  }

  /** Whether a chart was added. */
  opened(name) {
    return this.#opened.has(name) && this.isExtra(name);
  }

  /** The names of all that were added. */
  get allOpened() {
    return [...this.#opened];
  }

  /** Add a chart or take it away. @returns whether it is there now */
  toggle(name) {
    if (!this.#opened.delete(name)) this.#opened.add(name);
    const open = this.opened(name);
    if (open) this.put(name);
    else this.#slots = this.#slots.filter((other) => other !== name);
    this.complete();
    return open;
  }

  /** The charts that share one place with this one, itself among them. */
  groupOf(spec) {
    return this.specs.filter((other) => other.switch?.group === spec.switch.group);
  }

  /** Show this one of the charts that share a place. */
  pickInGroup(spec) {
    this.#picked[spec.switch.group] = spec.name;
    const group = this.groupOf(spec);
    const at = this.#slots.findIndex((name) => group.some((other) => other.name === name));
    if (at >= 0) this.#slots[at] = spec.name;
  }

  /** Show a chart in the other modes, in place of the one shown last. */
  put(name) {
    this.#slots = [...this.#slots.filter((other) => other !== name), name].slice(-2);
  }

  /** Names of the charts shown in the other modes. */
  get slots() {
    return this.#slots.slice(-1);
  }

  /** Whether a chart is shown in the mode there is now. */
  shows(spec) {
    return this.mode === "page" ? this.#onPage(spec) : this.slots.includes(spec.name);
  }

  #onPage(spec) {
    if (this.isExtra(spec.name)) return this.opened(spec.name);
    return !spec.switch || this.#picked[spec.switch.group] === spec.name;
  }

  /** The charts that can be added with one press. @param names of those; none given: all */
  often(names) {
    return this.extra.filter(({ name }) => !names || names.includes(name));
  }

  /** The charts that one press shows: the main ones, the often used ones, the added ones. */
  choices(names) {
    const often = new Set(this.often(names));
    return this.specs.filter((spec) => !this.isExtra(spec.name) || often.has(spec) || this.opened(spec.name));
  }
}
