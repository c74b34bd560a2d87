// What the reader looks at: how wide the window is, and how much may move in it.

const QUERIES = { narrow: "(max-width: 640px)", phone: "(max-width: 480px)", hall: "(min-width: 1600px)", calm: "(prefers-reduced-motion: reduce)" };
const PHONE_RATE = 2; // frames a second
const CALM_RATE = 1; // with reduced motion

export class Screen {
  #media = Object.fromEntries(Object.entries(QUERIES).map(([name, query]) => [name, matchMedia(query)]));
  #changed;

  /** @param changed called whenever any of it is another */
  constructor(changed) {
    this.#changed = changed;
    for (const media of Object.values(this.#media)) media.addEventListener("change", changed);
  }

  get narrow() {
    return this.#media.narrow.matches;
  }

  /** Most frames a second that this reader wants. */
  get frameRate() {
    if (this.#media.calm.matches) return CALM_RATE;
    return this.#media.phone.matches ? PHONE_RATE : Infinity;
  }

  close() {
    for (const media of Object.values(this.#media)) media.removeEventListener("change", this.#changed);
  }
}
