// The widget *γ and β bench*. A reader sets γ and β, and sees how straight a nonlinearity is over its inputs. The
// widget also shows that values of γ and β that undo the normalization of one mini-batch do not undo it for the next.
// Everything is computed in the browser.

import { differsFromLast, fill, h, pill } from "../live/lib/dom.js";
import { joinSentences, withPercent } from "../live/lib/joining.js";
import { batchNormForward } from "./by_hand/batch_norm.js";
import { Picture } from "./gamma_beta/picture.js";
import { CURVES, bestLine, shareInFlatZones } from "./gamma_beta/straightness.js";
import { three } from "./lib/numbers.js";
import { Widget, mountable } from "./lib/widget.js";

const GAMMA = { min: 0, max: 5, step: 0.1, write: three };
const BETA = { min: -3, max: 3, step: 0.1, write: three };
const SAME = 1e-9; // y and x count as equal if they differ by less than this fraction of the batch's standard deviation
const percent = (share) => withPercent((100 * share).toFixed(1));

class GammaBeta extends Widget {
  #startsAnew = differsFromLast(); // detects changes in the batches or the start values

  /** @param data see bnviz/ui/lesson_widgets.py */
  take(data) {
    if (this.#startsAnew(this.builtOf(data))) this.chosen = { ...data.start, batch: 0 };
  }

  builtOf({ batches, start }) {
    return [batches, start];
  }

  build() {
    const { t } = this;
    const curves = this.choice("curve", Object.keys(CURVES), (name) => t(`curves.${name}`));
    this.picture = new Picture({ label: t("picture"), batch: "x", result: "y" });
    const identity = pill(t("identity"), () => this.#undo());
    const next = pill(t("next"), () => this.choose({ batch: (this.chosen.batch + 1) % this.data.batches.length }));
    const reset = pill(t("reset"), () => this.choose({ ...this.data.start, batch: 0 }));
    this.tools.replaceChildren(reset);
    fill(this.body,
      h("div.bnviz-widget-controls", curves, this.slider("gamma", GAMMA), this.slider("beta", BETA)),
      this.picture,
      h("div.bnviz-widget-row", identity, next));
  }

  /** Set γ and β to the standard deviation and the mean of the displayed batch. */
  #undo() {
    const { mean, variance } = this.#normalized();
    this.choose({ gamma: Math.sqrt(variance), beta: mean });
  }

  #normalized() {
    return batchNormForward(this.data.batches[this.chosen.batch], { ...this.chosen, eps: 0 });
  }

  draw() {
    const { curve, gamma, beta, batch } = this.chosen;
    const { x, y, mean, variance } = this.#normalized();
    const spread = Math.sqrt(variance);
    const line = bestLine(curve, this.chosen);
    const flat = shareInFlatZones(curve, this.chosen);
    const apart = Math.max(...y.map((value, i) => Math.abs(value - x[i])));
    const shown = { curve, gamma, beta, explained: line.explained, flat, batch: batch + 1, mean, spread, apart, identity: apart <= SAME * spread };
    this.showChosen();
    this.picture.draw({ curve, gamma, beta, line, x, y }, this.width);
    const { t } = this;
    this.fillTable([t("quantity"), t("value")], this.#rows(shown, line, t));
    this.tell(this.#sentence(shown, t), shown);
  }

  #sentence({ curve, explained, flat, batch, mean, spread, apart, identity }, t) {
    const named = { curve: t(`curves.${curve}`), batch, mean: three(mean), spread: three(spread), apart: three(apart, spread) };
    const first = explained === null ? t("one_value", named) : t("explains", { ...named, explained: three(explained), flat: percent(flat) });
    return joinSentences([first, t(identity ? "is_identity" : "is_not", named)]);
  }

  #rows({ gamma, beta, explained, flat, batch, mean, spread, apart }, { slope }, t) {
    const missing = t("missing");
    return [
      ["γ", three(gamma)], ["β", three(beta)],
      [t("rows.explained"), explained === null ? missing : three(explained)],
      [t("rows.slope"), slope === null ? missing : three(slope)],
      [t("rows.flat"), percent(flat)],
      [t("rows.mean", { batch }), three(mean)], [t("rows.spread", { batch }), three(spread)],
      [t("rows.apart", { batch }), three(apart, spread)],
    ];
  }
}

export default mountable(GammaBeta);
