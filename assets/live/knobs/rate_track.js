// Strips on the track of a learning-rate slider. They show which networks learn if training starts at each rate. This
// was measured beforehand for the default run at several batch sizes (see bnviz/planned_runs/started_rates.py).

import { fill, h, setHidden } from "../lib/dom.js";
import { joinSentences } from "../lib/joining.js";
import { sameValue } from "../lib/live_actions.js";

export class RateTrack {
  waits; // whether the strips are still hidden; after this is set to false, `show` draws them
  #painted;
  #rungs;
  #host;
  #size = null; // batch size for which the strips were drawn, or null

  /**
   * @param painted {rows: strips by batch size, {batch size: [{first, last: first and last rung of the strip, token:
   * key
   * of the strip's colour and text}]}; holds: values that other live knobs must have for the strips to be shown; steps,
   * seeds: number of steps and number of seeds of the measured runs; waits: whether the strips are hidden at first}
   * @param rungs number of rungs
   * @param host {t, data: {colours}}
   */
  constructor(painted, rungs, host) {
    this.#painted = painted;
    this.#rungs = rungs;
    this.#host = host;
    this.waits = Boolean(painted.waits);
    this.strips = h("div.bnviz-painted-strips", { "aria-hidden": true });
    this.words = h("div.bnviz-painted-words", { "aria-hidden": true });
    this.element = h("div.bnviz-painted", { hidden: true, role: "note" }, this.strips, this.words);
  }

  /** @param values of the live knobs, by name */
  show(values) {
    const { rows, holds } = this.#painted;
    const size = values.batch_size;
    const measured = !this.waits && size in rows && Object.entries(holds).every(([knob, value]) => sameValue(values[knob], value));
    setHidden(this.element, !measured);
    if (measured && this.#size !== size) this.#draw(size);
  }

  #draw(size) {
    this.#size = size;
    const { rows, steps, seeds } = this.#painted;
    const { t, data } = this.#host;
    const last = this.#rungs - 1;
    const parts = rows[size].map(({ first, last: end, token }) => {
      // A strip extends half a rung beyond its first and its last rung.
      const [low, high] = [Math.max(0, first - 0.5) / last, Math.min(last, end + 0.5) / last];
      const colour = data.colours[token.replace("only_", "")];
      const style = { "--low": low, "--high": high, ...(colour && { "--line": colour.line, "--text": colour.text }) };
      const kind = colour ? "only" : token;
      return { kind, style, text: t(`track.${token}`) };
    });
    fill(this.strips, parts.map(({ kind, style }) => h("i", { "data-kind": kind, style })));
    fill(this.words, parts.map(({ kind, style, text }) => h("span", { "data-kind": kind, style }, kind === "mixed" ? "" : text)));
    const said = joinSentences([t("track.note", { steps, seeds }), `${parts.map(({ text }) => text).join(" · ")}`]);
    this.element.setAttribute("aria-label", said);
    this.element.parentElement?.setAttribute("title", t("track.note", { steps, seeds }));
  }
}
