// Scheduler for drawing. It draws at most once per display frame and at most at the screen's frame rate, and always
// draws the newest scene.

// Maximum number of frames per second while Streamlit creates the knobs, which it does between two drawings.
const GIVING_WAY = 4;
// Maximum drawing time of a frame, in ms, at which the browser still has time to animate the hills (histograms).
const QUICK = 12;
const SMOOTHING = 0.2; // weight of the latest frame in the running mean of the drawing time

export class DrawScheduler {
  #view;
  #what = { frame: false, series: false }; // what has changed since the last drawing
  #handle = null;
  #timer = null;
  #drawnAt = -Infinity;
  #shown = null; // the frame drawn last
  #takes = 2 * QUICK; // running mean of the drawing time per frame, in ms
  #ready = false; // whether charts have been drawn
  #givesWayUntil = 0;

  constructor(view) {
    this.#view = view;
  }

  /**
   * Request a drawing.
   *
   * @param live whether a new frame has arrived; only such a request may be delayed to keep the maximum frame rate
   * @param frame whether another past frame is to be shown
   * @param series whether past values have arrived
   * @param now whether the reader has changed something
   */
  request({ live = false, frame = false, series = false, now = false }) {
    this.#what.series ||= live || series;
    this.#what.frame ||= frame;
    const wait = live && !now ? this.#wait() : 0;
    if (wait <= 0) this.#schedule();
    else this.#timer ??= setTimeout(() => { this.#timer = null; this.#schedule(); }, wait);
  }

  /** Draw rarely for `duration` ms, because the browser has other work to do. */
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
      this.#takes += SMOOTHING * (performance.now() - this.#drawnAt - this.#takes);
      view.root.classList.toggle("bnviz-quick", this.#takes < QUICK);
    } else view.charts.mount();
    this.#mark(scene);
    if (!view.follows) view.store.acknowledge();
  }

  /** Write the displayed state into attributes of the root element, for tests and for scripts that follow the view. */
  #mark(scene) {
    const { charts, store, time } = this.#view;
    this.#write({ run: store.run, status: STATUSES[store.status] ?? "disconnected" });
    // A frame counts as drawn only if there are figures in which it can be drawn.
    this.#ready ||= charts.ready;
    if (!scene || !this.#ready) return;
    // remove the placeholder of step 0, which was shown while the scripts were loading
    document.getElementById("bnviz-first")?.remove();
    this.#write({
      seq: scene.frame.seq, step: scene.step, changes: store.changes.length, time: time.mode, knob: this.#view.link.actingAt(scene.live.step),
    });
    this.#view.reportDrawn();
  }

  /** Write attributes only when they change, so that each change of `data-seq` means one drawn frame. */
  #write(attributes) {
    const { dataset } = this.#view.root;
    for (const [name, value] of Object.entries(attributes)) if (dataset[name] !== String(value)) dataset[name] = value;
  }

  destroy() {
    cancelAnimationFrame(this.#handle);
    clearTimeout(this.#timer);
  }
}

const STATUSES = {
  running: "running", paused: "paused", queued: "paused", finished: "finished", error: "finished",
};
