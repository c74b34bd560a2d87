// Steps of which the page's script is told when the run has passed them, and of its end where it ends before.

// Why a run goes no further: its page is told as if it had passed the last step.
const OVER = new Set(["diverged", "limit", "failed"]);

export class PassedSteps {
  #view;
  #told = new Set(); // "run step" that the page was told of

  constructor(view) {
    this.#view = view;
  }

  draw({ live }) {
    const { script, store, data } = this.#view;
    const tells = data.tells ?? [];
    const over = tells.length > 0 && store.status !== "running" && OVER.has(store.reason);
    const passed = over ? live.step : tells.filter((step) => step <= live.step).at(-1);
    // A run that starts over is told of again.
    if (passed === undefined) this.#told.clear();
    const stamp = `${store.run} ${passed}`;
    if (passed === undefined || this.#told.has(stamp)) return;
    // What the script computes is of the frame of that step: it has come, or will not.
    this.#told.add(stamp);
    script.reached(store.run, passed);
  }
}
