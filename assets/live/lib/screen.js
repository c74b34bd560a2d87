// The reader's screen: how wide the window is, how much may move in it, and whether it shows the stage.

const QUERIES = { narrow: "(max-width: 640px)", phone: "(max-width: 480px)", hall: "(min-width: 1600px)", calm: "(prefers-reduced-motion: reduce)" };
const PHONE_RATE = 2; // frames a second
const CALM_RATE = 1; // frames a second with reduced motion

export class Screen {
  #media = Object.fromEntries(Object.entries(QUERIES).map(([name, query]) => [name, matchMedia(query)]));

  /** @param onChange called whenever the answer to one of the queries changes @param signal ends that */
  constructor(onChange, signal) {
    for (const media of Object.values(this.#media)) media.addEventListener("change", onChange, { signal });
  }

  get narrow() {
    return this.#media.narrow.matches;
  }

  /** The highest number of frames a second that this screen should draw; Infinity: no limit. */
  get frameRate() {
    if (this.#media.calm.matches) return CALM_RATE;
    return this.#media.phone.matches ? PHONE_RATE : Infinity;
  }
}

/** How elements scroll into sight: at once for readers who want little to move. */
export function scrolling() {
  return matchMedia(QUERIES.calm).matches ? "auto" : "smooth";
}

/** Load this page as the stage (`present=1` in its address), or as the normal page again. */
export function present(on) {
  const url = new URL(location.href);
  if (on) url.searchParams.set("present", "1");
  else url.searchParams.delete("present");
  location.assign(url);
}
