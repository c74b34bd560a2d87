// The map in the presentation view. The play button and one knob are at the top, the large plane is below them with the
// class's question beside it, and the progress of the map is at the bottom. Everything fits into one window, in large
// type.

import { KnobSlider } from "../live/knobs/knob_slider.js";
import { button, differsFromLast, h, setHidden, setText, showIcon } from "../live/lib/dom.js";
import { count } from "../live/lib/format.js";
import { blurClicked } from "../live/lib/keyboard_focus.js";
import { StageMenu } from "../live/stage/stage_menu.js";
import { control, progressWords } from "./header.js";

const REST = 400; // time in ms from the last change of the slider until a new map is requested

export class MapStage {
  #view;

  /** @param view view of the map, whose parts are moved into the presentation view */
  constructor(view) {
    const { t, head, heading, planes, question, notices } = view;
    this.#view = view;
    this.play = button("", () => view.act("draw"), { className: "bnviz-round bnviz-play" });
    this.play.dataset.control = "draw";
    this.number = h("span.bnviz-step");
    this.of = h("small");
    this.about = h("span.bnviz-stability-about");
    this.steps = new StepsKnob(view);
    this.menu = new StageMenu(view);
    this.menu.panel.append(this.menu.row(t("colour.label"), heading.choice),
      this.menu.row(t("head.page"), control(view, "share"), control(view, "export"), control(view, "present", "head.present_end"), this.menu.keys));
    const transport = h("div.bnviz-transport", { role: "toolbar", "aria-label": t("head.controls") },
      h("div.bnviz-buttons", this.play), h("div.bnviz-counter", this.number, this.of));
    this.element = h("div.bnviz-stage.bnviz-map-stage",
      h("div.bnviz-stage-bar", transport, this.steps, this.menu),
      h("div.bnviz-map-hall",
        h("section.bnviz-card.bnviz-stability-card",
          h("header.bnviz-stability-title", heading, view.readout), planes, planes.legend),
        question),
      h("div.bnviz-stage-base", head.crumbs, head.problem, this.about, head.track, notices));
    this.element.addEventListener("click", blurClicked);
  }

  update() {
    const { framed, follows } = this.#view.data;
    this.steps.update();
    this.menu.update();
    for (const acts of [this.steps.element, this.menu.element]) setHidden(acts, Boolean(framed));
    setHidden(this.play, Boolean(framed || follows));
  }

  /** @param answer latest response of the feed, or null before the first response */
  show(answer) {
    const { t, wanted } = this.#view;
    const [of, ...rest] = progressWords(t, wanted, answer, true);
    setText(this.number, count(answer?.progress?.done ?? 0));
    setText(this.of, of);
    if (this.#view.model?.ghost) rest.push(t("legend.ghost"));
    setText(this.about, rest.join(" · "));
    const draws = wanted && !this.#view.nothingLeft;
    const key = draws ? "head.stop" : "head.go_on";
    showIcon(this.play, draws ? "pause" : "play", t(key), t(`${key}_help`));
    this.play.disabled = this.#view.nothingLeft;
  }

  end() {
    this.steps.end();
  }
}

/** Knob for the number of training steps per network. Changing it opens another map. */
class StepsKnob {
  #view;
  #timer = null;
  #isNew = differsFromLast(); // detects changes in the slider's settings

  constructor(view) {
    this.#view = view;
    this.element = h("div.bnviz-rate");
  }

  update() {
    const { t, data } = this.#view;
    const { steps: spec } = data.knobs;
    if (this.#isNew([spec, data.language])) {
      this.slider = new KnobSlider({ id: "steps", field: "steps", help: null, edge: false, ...spec }, t, {
        gesture: () => 1, released() {}, setKnob: (value) => this.#set(value),
      });
      this.element.replaceChildren(h("div.bnviz-knob-list", this.slider));
    }
    clearTimeout(this.#timer);
    this.slider.show(data.steps, false);
  }

  #set(value) {
    const { t, data } = this.#view;
    const { least, most, allowed } = data.knobs.steps;
    clearTimeout(this.#timer);
    if (!Number.isInteger(value) || value < least || value > most) {
      this.slider.showError(t("knob.wrong", { field: "steps", allowed, given: value }));
      return;
    }
    this.#timer = setTimeout(() => value !== this.#view.data.steps && this.#view.send("steps", value), REST);
  }

  end() {
    clearTimeout(this.#timer);
  }
}
