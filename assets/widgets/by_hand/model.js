// What a person sets by hand, and what follows from it.

import { batchNormBackward, batchNormForward } from "../lib/batch_norm.js";

export const MOST_POINTS = 8;
export const MOST_TYPED = 1e6; // off the line, but within what three decimals can show
export const EPSILONS = [0, 1e-5, 1e-3, 0.1];
export const RESULTS = 6; // of the backward pass

const FREE = [0, -2, 6, -5, 8, -7, 3, -9]; // one for each point that there may be

export class Model {
  #start;

  /** @param start {x, g, gamma, beta, eps}: what "reset" comes back to */
  constructor(start) {
    this.#start = start;
    this.reset();
  }

  reset() {
    const { x, g, gamma, beta, eps } = this.#start;
    Object.assign(this, { x: [...x], g: [...g], gamma, beta, eps, revealed: 0 });
    this.paths = { throughMean: true, throughVariance: true };
    this.before = this.forward();
  }

  /** One more point where there is none yet, with no arrow. */
  add() {
    if (this.x.length < MOST_POINTS) {
      this.x.push(FREE.find((value) => !this.x.includes(value)));
      this.g.push(0);
    }
  }

  remove() {
    if (this.x.length > 1) {
      this.x.pop();
      this.g.pop();
    }
  }

  forward() {
    return batchNormForward(this.x, this);
  }

  backward(forward) {
    return batchNormBackward(forward, this.g, this.paths);
  }

  /** Whether a value that goes into x̂ is another than at the start. */
  get changed() {
    return this.x.length !== this.#start.x.length || this.x.some((value, i) => value !== this.#start.x[i]) || this.eps !== this.#start.eps;
  }
}
