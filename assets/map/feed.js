// Asks the server for what is new of a map, as long as there may be more.

const [FIRST, RUNNING, CALM, QUIET] = [150, 400, 1000, 2000]; // ms between questions: until the first picture, while it runs, with reduced motion, while nothing is to be expected
const [FIRST_WAIT, LONGEST_WAIT] = [1000, 15000]; // ms after a question that failed; twice as long each time
const UNSEEN = 10000; // ms after which a map in a hidden tab rests, as runs do
const GONE_EVERY = 8000; // ms between two times that the page is told that the map is gone

export class Feed {
  #next = 0; // the number of the first row that is not here yet
  #timer = null;
  #asking = null;
  #failed = 0;
  #told = -Infinity;
  #over = false; // nothing more is to come
  #ended = false;
  #held = false; // nothing more is handed over
  #calm = matchMedia("(prefers-reduced-motion: reduce)");
  #hiddenAt = document.hidden ? performance.now() : Infinity;
  #seen = () => {
    this.#hiddenAt = document.hidden ? performance.now() : Infinity;
    if (!document.hidden && !this.#over) this.hurry();
  };

  /**
   * @param given {address: of the map's feed, wanted: whether it shall run, onanswer(answer),
   *   onproblem(null: none any more, or "offline"), ongone(): the server does not have the map}
   */
  constructor(given) {
    this.given = given;
    this.wanted = given.wanted;
    document.addEventListener("visibilitychange", this.#seen);
    this.#ask();
  }

  /** Whether the map shall go on. */
  want(wanted) {
    this.wanted = wanted;
    this.hurry();
  }

  /** Whether to hand over nothing more, whoever else has the map drawn; what is known first comes in any case. */
  hold(yes) {
    if (this.#held === yes) return;
    this.#held = yes;
    this.hurry();
  }

  /** Ask now. */
  hurry() {
    if (this.#ended) return;
    this.#asking?.abort();
    clearTimeout(this.#timer);
    this.#ask();
  }

  end() {
    this.#ended = true;
    document.removeEventListener("visibilitychange", this.#seen);
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
      else if (!answer.ok) throw new Error(String(answer.status));
      else wait = this.#take(await answer.json());
    } catch (error) {
      if (asking.signal.aborted) return;
      wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#failed++);
      this.given.onproblem("offline", error);
    }
    if (wait !== null && !this.#ended && !asking.signal.aborted) this.#timer = setTimeout(() => this.#ask(), wait);
  }

  /** Whether somebody wants the map, and looks at it. */
  #watched() {
    return this.wanted && performance.now() - this.#hiddenAt < UNSEEN;
  }

  #take(answer) {
    if (this.#failed) this.given.onproblem(null);
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

  /** The page asks for the map again; what comes then begins at the first row. */
  #gone() {
    this.#next = 0;
    const now = performance.now();
    if (now - this.#told > GONE_EVERY) {
      this.#told = now;
      this.given.ongone();
    }
    return QUIET;
  }
}
