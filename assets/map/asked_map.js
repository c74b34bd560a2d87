// A question that was asked about a map: which one, whether it is drawn on since, what came of it.

import { Asked } from "../live/class/asked.js";
import { outcome } from "./outcomes.js";

/** Its `from` is {key: of the map}. */
export class AskedMap extends Asked {
  static of = "map";
  /** Whether it was asked about this map. */
  isOf(key) {
    return this.from?.key === key;
  }

  /** From here on it counts. */
  start() {
    this.started = true;
  }

  /**
   * Follow the map. What was asked is asked of another one that takes its place. It goes on as soon as
   * it is wanted again; one that is drawn already, is shown then.
   *
   * @param now {key, wanted: whether it is to be drawn}
   * @returns whether anything changed
   */
  follow({ key, wanted }) {
    if (this.happened) return false;
    const moved = !this.isOf(key);
    if (moved) this.from = { key };
    const goes = this.started || wanted;
    const begins = goes && !this.going;
    this.going ||= goes;
    return moved || begins;
  }

  /** What came of it, as far as the map is drawn; null as long as that is open. See `outcome`. */
  decide(now) {
    if (!this.going || this.happened || !this.isOf(now.key)) return null;
    return outcome(this.question, now);
  }
}
