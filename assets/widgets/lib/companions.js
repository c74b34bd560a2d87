// What a network answers in training mode, where an image's companions in the batch count.

import { highest, randomNumbers, shuffled } from "./trained_networks.js";

/** Some images by chance, none of which is `image`, and each once. @param among indices to choose from */
export function companionsOf(image, among, count, random) {
  const others = among.filter((index) => index !== image);
  return shuffled(others.length, random).slice(0, count).map((place) => others[place]);
}

/** The logits of the first image of a batch, in training mode. */
export function ownLogits(trained, network, batch) {
  return network.logits(trained.rows(batch), { own: true }).slice(0, network.classes);
}

/** Every image's answer in training mode, asked for again and again in batches by chance. */
export class AllAsked {
  #given;
  #random;
  #right = 0;

  /** @param settings {size: of a batch, seed} */
  constructor(trained, network, { size, seed }) {
    this.#given = { trained, network, size };
    this.#random = randomNumbers(seed);
    this.rounds = 0;
    this.answers = Array.from({ length: trained.count }, () => new Set()); // what each image was called
  }

  /** The share of all answers so far that were right. */
  get accuracy() {
    return this.#right / (this.rounds * this.answers.length);
  }

  /** The share of the images that were not always called the same. */
  get changing() {
    return this.answers.filter((each) => each.size > 1).length / this.answers.length;
  }

  /** Ask for each image once. */
  round() {
    const { trained, network, size } = this.#given;
    const order = shuffled(trained.count, this.#random);
    for (let from = 0; from < order.length; from += size) {
      const asked = order.slice(from, from + size);
      const batch = [...asked, ...order.slice(0, size - asked.length)]; // the last is filled up from the start
      const found = highest(network.logits(trained.rows(batch), { own: true }), network.classes);
      asked.forEach((index, i) => {
        this.answers[index].add(found[i]);
        this.#right += found[i] === trained.labels[index];
      });
    }
    this.rounds += 1;
  }
}
