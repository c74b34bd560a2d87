// Predictions of a network in training mode, which depend on the other images of the batch.

import { highest, randomNumbers, shuffled } from "./trained_networks.js";

/** Return `count` different random images, not including `image`. @param among indices to choose from */
export function companionsOf(image, among, count, random) {
  const others = among.filter((index) => index !== image);
  return shuffled(others.length, random).slice(0, count).map((place) => others[place]);
}

/** Return the logits of the first image of a batch, computed in training mode. */
export function ownLogits(trained, network, batch) {
  return network.logits(trained.rows(batch), { own: true }).slice(0, network.classes);
}

/** Training-mode predictions for every image. Each round predicts all images once, in random batches. */
export class AllAsked {
  #given;
  #random;
  #right = 0;

  /** @param settings {size: mini-batch size, seed} */
  constructor(trained, network, { size, seed }) {
    this.#given = { trained, network, size };
    this.#random = randomNumbers(seed);
    this.rounds = 0;
    // for each image, the set of its predictions so far
    this.answers = Array.from({ length: trained.count }, () => new Set());
  }

  /** Accuracy over all predictions made so far. */
  get accuracy() {
    return this.#right / (this.rounds * this.answers.length);
  }

  /** Fraction of the images whose prediction has not been the same in every round. */
  get changing() {
    return this.answers.filter((each) => each.size > 1).length / this.answers.length;
  }

  /** Predict each image once. */
  round() {
    const { trained, network, size } = this.#given;
    const order = shuffled(trained.count, this.#random);
    for (let from = 0; from < order.length; from += size) {
      const asked = order.slice(from, from + size);
      const batch = [...asked, ...order.slice(0, size - asked.length)]; // fill up the last batch with the first images
      const found = highest(network.logits(trained.rows(batch), { own: true }), network.classes);
      asked.forEach((index, i) => {
        this.answers[index].add(found[i]);
        this.#right += found[i] === trained.labels[index];
      });
    }
    this.rounds += 1;
  }
}
