// Properties of the reader's screen (window width, reduced motion), and the switch to the presentation view.

const QUERIES = { narrow: "(max-width: 640px)", phone: "(max-width: 480px)", hall: "(min-width: 1600px)", calm: "(prefers-reduced-motion: reduce)" };
const PHONE_RATE = 2; // frames a second
const CALM_RATE = 1; // frames per second with reduced motion

export class Screen {
  #media = Object.fromEntries(Object.entries(QUERIES).map(([name, query]) => [name, matchMedia(query)]));

  /**
   * @param onChange called whenever the result of one of the media queries changes
   * @param signal aborts to remove the listeners
   */
  constructor(onChange, signal) {
    for (const media of Object.values(this.#media)) media.addEventListener("change", onChange, { signal });
  }

  get narrow() {
    return this.#media.narrow.matches;
  }

  /** Maximum number of frames per second that this screen should draw. Infinity means no limit. */
  get frameRate() {
    if (this.#media.calm.matches) return CALM_RATE;
    return this.#media.phone.matches ? PHONE_RATE : Infinity;
  }
}

/** Return the scroll behaviour for elements: without animation for readers who prefer reduced motion. */
export function scrolling() {
  return matchMedia(QUERIES.calm).matches ? "auto" : "smooth";
}

/**
 * Reload this page as the presentation view (`present=1` in its address) if `on` is true, otherwise as the normal page.
 */
export function present(on) {
  const url = new URL(location.href);
  if (on) url.searchParams.set("present", "1");
  else url.searchParams.delete("present");
  location.assign(url);
}
