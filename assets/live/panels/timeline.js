// Timeline that rewinds the whole page. Ticks mark live changes and breaks. A flag marks the step that a preset was
// made to show, and a sentence below the timeline describes that step (`StepToSee`).

import { stepToSee } from "../data/time_cursor.js";
import { button, differsFromLast, fill, h, pill, setHidden, setText } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { changeWords } from "../lib/live_actions.js";

export class Timeline {
  #view;
  #dragging = false;
  #isNew = differsFromLast(); // detects changes in the marks that are drawn

  constructor(view) {
    this.#view = view;
    const { t } = view;
    this.range = h("input", {
      type: "range", min: 0, max: 1, step: 1, value: 1, "aria-label": t("timeline.title"),
      oninput: () => this.#seek(), onkeydown: (event) => this.#onKey(event),
    });
    this.ticks = h("div.bnviz-ticks", { "aria-hidden": true });
    this.flag = button("", () => view.time.pin(view.data.step_to_see.step), { className: "bnviz-flag", hidden: true });
    this.now = h("span.bnviz-now");
    this.fork = pill(t("timeline.fork"), () => view.act("fork"), {
      title: t("timeline.fork_help"), "data-control": "fork",
    });
    this.start = h("span");
    this.element = h("div.bnviz-timeline", this.start,
      h("div.bnviz-track", this.ticks, this.range, this.flag), this.now, this.fork);
    this.range.addEventListener("pointerdown", () => (this.#dragging = true));
    for (const end of ["pointerup", "pointercancel", "blur"]) {
      this.range.addEventListener(end, () => (this.#dragging = false));
    }
  }

  update() {
    const { data } = this.#view;
    setHidden(this.element, data.hide.includes("timeline"));
    setHidden(this.fork, !data.can_control);
  }

  #seek() {
    const step = Number(this.range.value);
    if (step >= Number(this.range.max)) this.#view.time.live();
    else this.#view.time.pin(step);
  }

  /** Move by one stored frame with the arrow keys, and to either end of the timeline with Home and End. */
  #onKey(event) {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (by) this.#view.time.move(by);
    else if (event.key === "Home") this.#view.time.pin(0);
    else if (event.key === "End") this.#view.time.live();
    else return;
    event.preventDefault();
  }

  draw({ live, step, rewound, store }) {
    const { t } = this.#view;
    const last = Math.max(1, live.step);
    this.range.max = last;
    if (!this.#dragging) this.range.value = rewound ? step : last;
    this.range.style.setProperty("--done", Math.min(step, last) / last);
    const text = rewound
      ? t("timeline.rewound", { step: count(step), last: count(live.step) })
      : t("timeline.live", { step: count(live.step) });
    setText(this.now, text);
    this.range.setAttribute("aria-valuetext", text);
    this.#drawGaps(store, last);
    this.#drawTicks(store, last);
    this.#drawFlag(store, last);
  }

  /** Mark the early steps that the charts lack because the server was restarted, and say from which step they begin. */
  #drawGaps({ restoredAt, series }, last) {
    const { t } = this.#view;
    const gaps = series.unseen.spans.filter(([first]) => restoredAt !== null && first < restoredAt);
    const said = () => (gaps.length > 1 || gaps[0][0] > 0 ? t("timeline.gaps") : t("timeline.gone", { step: count(gaps[0][1] + 1) }));
    setText(this.start, gaps.length ? said() : "0");
    this.start.title = gaps.length ? t("timeline.gone_help", { step: count(restoredAt) }) : "";
    const stripes = gaps.map((gap) => gap.map((step) => `${(100 * step) / last}%`)).map(([from, to]) => `#0000 ${from}, var(--edge) 0 ${to}, #0000 0`);
    this.range.style.setProperty("--gaps", gaps.length ? `linear-gradient(to right, ${stripes})` : "none");
  }

  /** Draw the flag at its step, or at the end of the timeline until the run has reached the step. */
  #drawFlag(store, last) {
    const toSee = stepToSee(this.#view.data, store);
    setHidden(this.flag, !toSee);
    if (!toSee) return;
    const { text, reached, at } = toSee;
    const { t, time } = this.#view;
    this.flag.disabled = !reached;
    this.flag.setAttribute("aria-pressed", time.pinned === toSee.step);
    this.flag.style.setProperty("--at", Math.min(1, at / last));
    setText(this.flag, t(reached ? "step_to_see.flag" : "step_to_see.flag_ahead", { step: count(at) }));
    this.flag.title = t("step_to_see.at", { step: count(at), text });
    this.flag.setAttribute("aria-label", this.flag.title);
  }

  #drawTicks({ changes, breaks }, last) {
    const { data, t } = this.#view;
    const marks = [
      ...changes.map(({ step, values }) => ({ step, colour: "var(--ink)", title: changeWords(values, data.knob_labels, t) })),
      ...Object.entries(breaks).map(([norm, { step }]) => ({
        step, colour: data.colours[norm].line, title: t("timeline.break", { label: data.labels[norm], step }),
      })),
    ];
    if (!this.#isNew([marks, last])) return;
    fill(this.ticks, marks.map(({ step, colour, title }) =>
      h("i", { title, style: { "--at": step / last, "--colour": colour } })));
  }
}

/** Sentence under the timeline about the step that the flag marks. */
export class StepToSee {
  #view;
  // Whether the sentence has been shown. From then on, its line keeps its space, so that nothing moves under the
  // pointer
  #shown = false;

  constructor(view) {
    this.#view = view;
    this.element = h("p.bnviz-step-to-see", { hidden: true });
  }

  update() {
    if (this.#view.data.step_to_see) return;
    this.#shown = false;
    setHidden(this.element, true);
  }

  draw({ step, store }) {
    if (store.changes.length) showSettingLeft();
    const toSee = stepToSee(this.#view.data, store);
    this.#shown ||= Boolean(toSee);
    setHidden(this.element, !this.#shown);
    this.element.classList.toggle("bnviz-past", !toSee);
    if (!toSee) return;
    const { at, text, names_step: named } = toSee;
    // While the page shows a different step, the sentence must name the step that it describes.
    const sentence = named || step === at ? text : this.#view.t("step_to_see.then", { step: count(at), text });
    setText(this.element, store.changes.some((change) => change.step < step) ? "" : sentence);
  }
}

/** Show the page's hints which say that the run no longer has the settings of the claim from which it was opened. */
function showSettingLeft() {
  for (const hint of document.querySelectorAll(".claims-moved")) setHidden(hint, false);
}
