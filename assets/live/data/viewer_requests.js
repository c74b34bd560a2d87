// What this browser asks of the server: how many frames, which probes, and none while it is hidden.

export class ViewerRequests {
  #store;
  #probes = ""; // asked for over this connection

  constructor(store) {
    this.#store = store;
  }

  /** A connection stands, and has been asked nothing yet. */
  begin(rate, probes) {
    this.rate(rate);
    this.#probes = "";
    this.probes(probes);
    if (document.hidden) this.visibility();
  }

  /** Take at most so many frames a second. */
  rate(most) {
    if (Number.isFinite(most)) this.#store.send({ type: "rate", max_fps: most });
  }

  /** Measure what the charts on the page draw: a probe that no chart draws need not be. */
  probes(names) {
    if (this.#probes === names.join()) return;
    this.#probes = names.join();
    this.#store.send({ type: "want", probes: names });
  }

  /** Say whether anybody can see the page. */
  visibility() {
    this.#store.send({ type: "hidden", hidden: document.hidden });
  }
}
