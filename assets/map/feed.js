// Client for a map's feed. It requests new rows from the server as long as more rows may come.

// Time in ms between requests: before the first cells, while the map is drawn, while it is drawn for a reader who
// prefers reduced motion, and while no rows are expected
const [FIRST, RUNNING, CALM, QUIET] = [150, 400, 1000, 2000];
// First and longest wait in ms after a failed request. The wait doubles after each failure.
const [FIRST_WAIT, LONGEST_WAIT] = [1000, 15000];
// time in ms after which a hidden tab no longer requests that its map be drawn; runs use the same limit
const UNSEEN = 10000;
const GONE_EVERY = 8000; // minimum time in ms between two reports to the page that the server does not have the map

export class FeedReader {
  #next = 0; // index of the first row that has not been received
  #timer = null;
  #asking = null;
  #failed = 0;
  #goneAt = -Infinity; // time at which the page was last notified that the server does not have the map
  #over = false; // whether no more rows will come
  #ended = false;
  #held; // see `hold`
  #calm = matchMedia("(prefers-reduced-motion: reduce)");
  #hiddenAt = document.hidden ? performance.now() : Infinity;
  #visibility = () => {
    this.#hiddenAt = document.hidden ? performance.now() : Infinity;
    if (!document.hidden && !this.#over) this.hurry();
  };

  /**
   * @param given {address: URL of the map's feed; wanted: whether the map should be drawn; held: see `hold`;
   * onanswer(answer): called with each response; ontrouble(reason): called with "offline" if the server does not
   * respond, "gone" if the server does not have the map, and null when the server responds again}
   */
  constructor(given) {
    this.given = given;
    this.wanted = given.wanted;
    this.#held = given.held;
    document.addEventListener("visibilitychange", this.#visibility);
    this.#ask();
  }

  /** Set whether the map should be drawn. */
  want(wanted) {
    this.wanted = wanted;
    this.hurry();
  }

  /**
   * Set whether new rows are withheld, even if the map is being drawn for other viewers. The first rows are always
   * delivered.
   */
  hold(yes) {
    if (this.#held === yes) return;
    this.#held = yes;
    this.hurry();
  }

  /** Send the next request to the server at once. */
  hurry() {
    if (this.#ended) return;
    this.#asking?.abort();
    clearTimeout(this.#timer);
    this.#ask();
  }

  end() {
    this.#ended = true;
    document.removeEventListener("visibilitychange", this.#visibility);
    this.#asking?.abort();
    clearTimeout(this.#timer);
  }

  async #ask() {
    const asking = new AbortController();
    this.#asking = asking;
    let wait;
    try {
      const answer = await fetch(`${this.given.address}?after=${this.#next}&wanted=${this.#watched() ? 1 : 0}`, { cache: "no-store", signal: asking.signal });
      if (answer.status === 404) wait = this.#gone();
      else if (!answer.ok) throw new Error(`Map: HTTP ${answer.status}`);
      else wait = this.#take(await answer.json());
    } catch {
      if (asking.signal.aborted) return;
      wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#failed++);
      this.given.ontrouble("offline");
    }
    if (wait !== null && !this.#ended && !asking.signal.aborted) this.#timer = setTimeout(() => this.#ask(), wait);
  }

  /** Return whether the map should be drawn and this tab was visible recently. */
  #watched() {
    return this.wanted && performance.now() - this.#hiddenAt < UNSEEN;
  }

  #take(answer) {
    if (this.#failed) this.given.ontrouble(null);
    this.#failed = 0;
    if (this.#held && this.#next > 0) return QUIET;
    this.#next = answer.n;
    this.given.onanswer(answer);
    this.#over = ["finished", "failed"].includes(answer.status) && !this.#held;
    if (this.#over) return null;
    if (answer.status === "paused" || !this.wanted || document.hidden) return QUIET;
    if (this.#calm.matches) return CALM;
    return answer.progress.phase === "first" ? FIRST : RUNNING;
  }

  /**
   * Handle the response that the server does not have the map. The page then requests the map again, and the feed
   * restarts at the first row.
   */
  #gone() {
    this.#next = 0;
    const now = performance.now();
    if (now - this.#goneAt > GONE_EVERY) {
      this.#goneAt = now;
      this.given.ontrouble("gone");
    }
    return QUIET;
  }
}
