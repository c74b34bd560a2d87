// When to draw: at most once a display frame, at most as often as the reader wants, latest wins.

// Frames a second while Streamlit makes the knobs: it works in the gaps that drawing leaves.
const GIVING_WAY = 4;

export class DrawScheduler {
  #view;
  #what = { frame: false, series: false };
  #handle = null;
  #timer = null;
  #drawnAt = -Infinity;
  #shown = null;
  #ready = false;
  #givesWayUntil = 0;

  constructor(view) {
    this.#view = view;
  }

  /**
   * Ask for a draw.
   *
   * @param live a live frame came (may have to wait its turn)
   * @param frame another frame of the past is shown
   * @param series past values came
   * @param now something else changed, at the reader's own doing
   */
  request({ live = false, frame = false, series = false, now = false }) {
    this.#what.series ||= live || series;
    this.#what.frame ||= frame;
    const wait = live && !now ? this.#wait() : 0;
    if (wait <= 0) this.#schedule();
    else this.#timer ??= setTimeout(() => { this.#timer = null; this.#schedule(); }, wait);
  }

  /** The page has work to do in this browser for so many milliseconds. */
  giveWay(duration) {
    this.#givesWayUntil = performance.now() + duration;
  }

  #wait() {
    const { frameRate } = this.#view.screen;
    const rate = performance.now() < this.#givesWayUntil ? Math.min(frameRate, GIVING_WAY) : frameRate;
    return Number.isFinite(rate) ? this.#drawnAt + 1000 / rate - performance.now() : 0;
  }

  #schedule() {
    this.#handle ??= requestAnimationFrame(() => {
      this.#handle = null;
      this.#draw();
    });
  }

  #draw() {
    const view = this.#view;
    if (view.ended) return;
    if (!view.root.isConnected) {
      view.destroy();
      return;
    }
    const scene = view.scene();
    if (scene) {
      const what = { series: this.#what.series, frame: this.#what.frame || scene.frame !== this.#shown };
      this.#what = { frame: false, series: false };
      this.#shown = scene.frame;
      this.#drawnAt = performance.now();
      view.draw(scene, what);
    } else view.charts.mount();
    this.#mark(scene);
    view.store.acknowledge();
  }

  /** Say on the root element what is shown, for tests and for whoever follows along. */
  #mark(scene) {
    const { charts, store, time } = this.#view;
    this.#say("run", store.run);
    this.#say("status", STATUSES[store.status] ?? "disconnected");
    // A frame counts as drawn only once there are figures to draw it in.
    this.#ready ||= charts.ready;
    if (!scene || !this.#ready) return;
    this.#say("seq", scene.frame.seq);
    this.#say("step", scene.step);
    this.#say("changes", store.changes.length);
    this.#say("time", time.mode);
    this.#say("knob", this.#view.link.actingAt(scene.live.step));
    this.#view.reportDrawn();
  }

  /** An attribute that is written only when it changes: whoever watches it counts frames. */
  #say(name, value) {
    const { dataset } = this.#view.root;
    if (dataset[name] !== String(value)) dataset[name] = value;
  }

  stop() {
    cancelAnimationFrame(this.#handle);
    clearTimeout(this.#timer);
  }
}

const STATUSES = {
  running: "running", paused: "paused", queued: "paused", finished: "finished", error: "finished",
};
