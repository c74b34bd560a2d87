// What was measured of the network that is cut, at the steps whose weights were kept.

export class Kept {
  /** @param values of one network: {steps [K], cuts [C], depth, accuracy, random, wander [C][K][K], passes [C][K][bins], edges} */
  constructor(values) {
    this.values = values;
    this.steps = values?.steps ?? [];
    this.cuts = values?.cuts ?? [1];
  }

  get any() {
    return this.steps.length > 0;
  }

  /** The place of a step that was asked for; the newest one where it is not kept. */
  place(step) {
    const found = this.steps.indexOf(step);
    return found < 0 ? this.steps.length - 1 : found;
  }

  #cut(cut) {
    return Math.max(0, this.cuts.indexOf(cut));
  }

  /** Accuracies [K][K] of a cut, by the steps of lower and upper half; moved at random or as trained. */
  map(cut, random) {
    return this.values[random ? "random" : "accuracy"][this.#cut(cut)];
  }

  wander(cut, s, t) {
    return this.values.wander[this.#cut(cut)][s][t];
  }

  /** Shares of values by bin, at each kept step [K][bins]. */
  passes(cut) {
    return this.values.passes[this.#cut(cut)];
  }

  /** Lowest and highest accuracy of a cut. */
  range(cut, random) {
    const known = this.map(cut, random).flat().filter((value) => value !== null);
    return known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
  }
}
