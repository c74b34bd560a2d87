// The widget *outside the gradient*. A layer adds b to its values and subtracts the mean of the batch. Only b is
// trained, in two runs: one with a gradient that treats the mean as a constant, and one with the exact gradient. Both
// runs are computed in the browser.

import { DrawnCurves } from "../live/charts/drawn_curves.js";
import { differsFromLast, h, pill, setHidden } from "../live/lib/dom.js";
import { bracketed, joinSentences } from "../live/lib/joining.js";
import { trainBias } from "./lib/centred_unit.js";
import { HEIGHT, LineChart } from "./lib/line_chart.js";
import { three } from "./lib/numbers.js";
import { Widget, mountable } from "./lib/widget.js";

const WIDE = 560; // width in px from which the charts are side by side
// Heights in px: of the chart on which a reader draws, on a wide page and on a narrow page; and of the other chart,
// which is then below it.
const [DRAWN, DRAWN_NARROW, BELOW] = [270, 216, 140];
const ROWS = 10; // number of rows of the table
const LABELS = 88; // width in px for the labels at the ends of the lines
// if the final losses of the two runs differ by less than this fraction of the first loss, they count as equal and
// share one label
const SAME = 1e-9;

class OutsideGradient extends Widget {
  #isOther = differsFromLast(); // detects changes in the settings of the runs
  #runs = null;

  /** @param data see bnviz/ui/lesson_widgets.py */
  take(data) {
    if (this.#isOther([data.layer, data.steps, data.rate])) this.#runs = null;
    if (data.begun && !this.#runs) this.#run(data);
  }

  build({ steps, layer }) {
    const { t } = this;
    this.loss = new LineChart({ title: t("loss"), axis: t("steps") });
    this.size = new LineChart({ title: t("size"), axis: t("steps") });
    this.begin = pill(t("begin", { steps }), () => {
      this.#run(this.data);
      this.draw();
    }, { className: "bnviz-strong" });
    this.drawn = new DrawnCurves(this.size.plot, (points) => this.tellScript("drawing", points));
    this.charts = h("div.bnviz-widget-charts", this.loss, this.size);
    this.body.replaceChildren(
      h("p.bnviz-widget-formula", "x̂ = u + b − E[u + b]"),
      h("p", t("setting", { units: layer.readout.length, examples: layer.inputs.length })),
      h("div.bnviz-widget-row", this.begin), this.charts);
  }

  #run({ layer, steps, rate }) {
    const [constant, exact] = [false, true].map((differentiated) => trainBias(layer, { steps, rate, differentiated }));
    this.#runs = { constant, exact };
  }

  draw() {
    const { steps } = this.data;
    const { t } = this;
    setHidden(this.charts.parentElement.querySelector(".bnviz-widget-row"), Boolean(this.data.begun || this.data.drawing));
    this.begin.disabled = this.#runs !== null;
    this.charts.classList.toggle("bnviz-waiting", !this.#runs);
    // Before the runs have been computed, empty charts reserve the space.
    const { constant, exact } = this.#runs ?? { constant: empty(steps), exact: empty(steps) };
    const { drawing } = this.data;
    const wide = this.width >= WIDE && !drawing;
    const upon = this.width >= WIDE ? DRAWN : DRAWN_NARROW;
    const width = wide ? (this.width - 20) / 2 : this.width;
    // if the charts are stacked, the chart of ‖b‖ comes first and the texts come last
    this.charts.classList.toggle("bnviz-widget-led", !wide);
    const one = (run, name, label) => ({ values: run[name], css: run === exact ? "bnviz-chart-thin" : "", label: this.#runs ? label : "" });
    const draw = (chart, name, same, height, top = null) => chart.draw([
      one(constant, name, t(same ? "both" : "constant")), one(exact, name, same ? "" : t("exact")),
    ], { width, height, room: LABELS }, top);
    draw(this.loss, "losses", Math.abs(constant.losses.at(-1) - exact.losses.at(-1)) <= SAME * constant.losses[0], drawing ? BELOW : HEIGHT);
    draw(this.size, "norms", false, drawing ? upon : HEIGHT, drawing?.highest);
    this.drawn.update(drawing ?? null);
    if (drawing) this.drawn.draw({ ...this.size.place, measured: this.#runs && [...constant.norms.entries()] });
    this.#say(t);
  }

  #say(t) {
    if (!this.#runs) return this.tellWaiting(t("waiting"), t("steps"));
    const { constant, exact } = this.#runs;
    const { steps } = this.data;
    const half = Math.floor(steps / 2);
    const state = {
      steps, loss: constant.losses[0], loss_range: range(constant.losses), norm_half: constant.norms[half],
      norm_end: constant.norms[steps], inside_end: exact.norms[steps],
    };
    const picked = Array.from({ length: ROWS + 1 }, (_, i) => Math.round((i * steps) / ROWS));
    this.fillTable(
      [t("steps"), bracketed(t("loss"), t("constant")), bracketed(t("loss"), t("exact")), bracketed("‖b‖", t("constant")), bracketed("‖b‖", t("exact"))],
      picked.map((step) => [String(step), ...[constant, exact].map(({ losses }) => losses[step].toFixed(6)),
        three(constant.norms[step]), three(exact.norms[step], constant.norms[steps])]));
    const still = state.loss_range <= SAME * state.loss;
    const zero = state.inside_end <= SAME * state.norm_end;
    const result = t(still ? "result" : "result_moved", {
      loss: three(state.loss), end: three(constant.losses[steps]), half, steps, at_half: three(state.norm_half), at_end: three(state.norm_end),
    });
    this.tell(joinSentences([result, t(zero ? "inside_zero" : "inside", { inside: three(state.inside_end) })]), state);
  }
}

const empty = (steps) => ({ losses: new Float64Array(steps + 1), norms: new Float64Array(steps + 1) });
const range = (values) => Math.max(...values) - Math.min(...values);

export default mountable(OutsideGradient);
