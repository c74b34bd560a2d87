// The map page in the browser. A `MapView` is built once. It receives data from the Streamlit script and rows from the
// feed, and updates all parts.

import { AskTheClass } from "../classroom/ask_the_class.js";
import { fill, h, pill, setText } from "../live/lib/dom.js";
import { within } from "../live/lib/format.js";
import { joinSentences } from "../live/lib/joining.js";
import { translator } from "../live/lib/texts.js";
import { Notices } from "../live/panels/notices.js";
import { act, listenToKeys } from "./buttons_and_keys.js";
import { CARD, CellCard, CellWords } from "./cell.js";
import { ColouringHeading, withCues } from "./colouring.js";
import { FeedReader } from "./feed.js";
import { MapHeader } from "./header.js";
import { QuestionedMap } from "./questioned_map.js";
import { MapModel } from "./model.js";
import { Planes } from "./planes.js";
import { MapStage } from "./stage.js";
import { BorderTable, SummaryCard } from "./summary.js";

const REST = 250; // time in ms between the last key press and the announcement of a cell to screen readers
const COARSE = "(pointer: coarse)";

export class MapView {
  id = "map"; // identifier among the views of a page
  announcer = { say: (text) => setText(this.spoken, text) };
  over = { here: null, chosen: null, zoom: null }; // marks on the plane, see `Plane.drawOver`
  answer = null; // latest response of the feed
  model = null;
  wanted = true; // whether the map should be drawn
  feed = null;
  stage = null; // the presentation view, or null on the normal page
  #cursor = null; // the cell last reached with the keyboard
  // "offline" if the server does not respond, "gone" if the server does not have the map, otherwise null
  #trouble = null;
  #animationFrame = null;
  #speaking = null; // timer
  touchZoom = false; // whether a one-finger drag draws a zoom rectangle
  #noticed = ""; // notices from the page's data that were last shown
  #alike = null; // key that is the same for maps which differ only in the ranges of their axes
  #sizes;
  #ended = new AbortController();

  constructor(parent, component) {
    this.#take(component);
    this.cells = new CellWords(this);
    this.card = new CellCard(this);
    this.#build(parent);
    listenToKeys(this, this.#ended.signal);
    this.#sizes = new ResizeObserver(() => this.#fit());
    this.#sizes.observe(this.planes.element);
    this.#sizes.observe(this.head.element);
  }

  #take({ data, setTriggerValue }) {
    this.send = setTriggerValue;
    this.norms = withCues(data.norms);
    const by = (value) => Object.fromEntries(this.norms.map((norm) => [norm.name, value(norm)]));
    // Use the form of a run page's data, because some components are shared with that page.
    this.data = {
      ...data, can_control: !data.framed, norms: data.norms.map(({ name }) => name),
      labels: by(({ label }) => label), colours: by(({ colour, ink }) => ({ line: colour, text: ink })),
    };
    this.t = translator({ ...data.texts.view, reading: data.texts.reading ?? {} });
  }

  #build(parent) {
    const { t } = this;
    this.subject = new QuestionedMap(this);
    this.question = new AskTheClass(this, this.subject);
    this.notices = new Notices(this);
    this.head = new MapHeader(this);
    this.heading = new ColouringHeading(this);
    this.planes = new Planes(this);
    this.readout = h("p.bnviz-stability-readout");
    this.help = h("p.bnviz-stability-help", t(matchMedia(COARSE).matches ? "help_touch" : "help"));
    this.spoken = h("div.bnviz-hidden", { role: "status", "aria-live": "polite" });
    this.touch = pill(t("zoom_toggle"), () => this.#toggleTouch(), { className: "bnviz-stability-touch", "aria-pressed": "false" });
    this.summary = new SummaryCard(this);
    this.table = new BorderTable(this);
    this.root = h("div.bnviz.bnviz-stability", { "data-testid": "map" });
    parent.append(this.root);
  }

  /** Place the parts for the normal page or for the presentation view. */
  #arrange() {
    const { root, head, heading, planes, question, notices } = this;
    this.stage?.end();
    this.stage = this.data.present ? new MapStage(this) : null;
    root.classList.toggle("bnviz-present", Boolean(this.stage));
    if (this.stage) return fill(root, h("h1.bnviz-hidden", this.data.title), this.stage, this.spoken);
    head.arrange();
    // The visible heading is outside this component. This heading is for screen readers.
    return fill(root, h("header.bnviz-hidden", heading), head, notices, question, planes,
      h("div.bnviz-stability-foot", planes.legend, this.touch, heading.choice), this.readout,
      h("p.bnviz-stability-help", this.help.textContent), this.summary, this.table, this.spoken);
  }

  /** Handle new data from the Streamlit script. If the map is the same, keep the drawing. */
  update(component) {
    this.#take(component);
    const { data } = this;
    const losesFocus = this.#losesFocus();
    this.root.dataset.theme = data.dark ? "dark" : "light";
    this.root.lang = data.language;
    if (Boolean(data.present) !== Boolean(this.stage) || !this.root.childElementCount) this.#arrange();
    this.card.known = data.chosen?.known ?? 0;
    if (this.root.dataset.key !== data.key) this.#open();
    this.over.chosen = data.chosen ? this.model.nearest(data.chosen.x, data.chosen.y) : null;
    this.heading.update();
    this.head.update();
    this.stage?.update();
    this.planes.update();
    this.question.update();
    this.#showNotices();
    if (losesFocus) this.planes.plane.svg.focus({ preventScroll: true });
    this.#show();
  }

  /** Show the Streamlit script's replies to requests from this page. */
  #showNotices() {
    const text = joinSentences(this.data.notices ?? []);
    if (text && text !== this.#noticed) this.notices.show("said", { text });
    this.#noticed = text;
  }

  /** Return whether the new data will remove the element that has the focus: a link back from a zoom, or the card. */
  #losesFocus() {
    const here = document.activeElement;
    return this.head.crumbs.contains(here) || Boolean(this.over.chosen && !this.data.chosen && (here === document.body || here?.closest(CARD)));
  }

  /** Open another map. */
  #open() {
    const { data } = this;
    this.feed?.end();
    const before = this.#alike === data.alike ? this.model : null;
    this.#alike = data.alike;
    this.model = new MapModel(data);
    if (before) this.model.follow(before);
    this.answer = this.#cursor = null;
    this.#trouble = null;
    this.notices.showLost(null);
    this.over = { here: null, chosen: null, zoom: null };
    this.wanted = !data.stopped && !data.follows && !this.question.thinks;
    this.root.dataset.key = data.key;
    this.table.forget();
    // if the server refused the map, there is no key, and the page gives the reason
    this.feed = !data.key ? null : new FeedReader({
      address: `${data.base}/maps/${data.key}`, wanted: this.wanted, held: this.subject.held,
      onanswer: (answer) => this.#takeAnswer(answer),
      ontrouble: (trouble) => {
        this.#trouble = trouble;
        this.notices.showLost(trouble === "offline" ? new Date() : null);
        if (trouble === "gone") this.send("gone", data.key);
        this.#show();
      },
    });
  }

  #takeAnswer(answer) {
    this.#trouble = null;
    this.model.take(answer.points);
    this.answer = answer;
    const hadGhost = Boolean(this.model.ghost);
    if (answer.status === "finished") this.model.forgetGhost();
    if (answer.points.length || hadGhost) this.#animationFrame ??= requestAnimationFrame(() => this.#draw());
    if (answer.points.length) this.card.update();
    this.question.draw(this.subject.state());
    this.#show();
  }

  #draw() {
    this.#animationFrame = null;
    const begun = performance.now();
    if (this.data.chosen && this.over.chosen) this.over.chosen = this.model.nearest(this.data.chosen.x, this.data.chosen.y);
    this.planes.draw();
    this.planes.drawOver();
    this.heading.tell();
    this.table.draw();
    this.sayCell();
    this.root.dataset.drawn = (performance.now() - begun).toFixed(1);
    this.mark({});
    this.root.dataset.points = this.model.count;
  }

  #show() {
    const { answer, root } = this;
    this.head.show(answer, this.#trouble);
    this.stage?.show(answer);
    this.summary.draw(answer?.reading);
    root.dataset.status = this.#trouble === "offline" ? "disconnected" : this.subject.held ? "paused" : (answer?.status ?? "waiting");
    root.dataset.phase = answer?.progress?.phase ?? "first";
    root.dataset.points ??= "0";
    if (!this.model.count) root.dataset.points = "0";
    this.sayCell();
  }

  #fit() {
    this.card.place();
    this.planes.fit();
    this.#show();
  }

  /** Cell from which the keyboard moves. Initially it is the cell in the middle of the plane. */
  get at() {
    const { across, up } = this.model;
    const middle = (axis) => Math.floor(axis.rungs.length / 2);
    return this.#cursor ?? this.over.chosen ?? { i: middle(across), j: middle(up) };
  }

  /** Change the marks on the plane. */
  mark(changes) {
    Object.assign(this.over, changes);
    this.planes.drawOver();
    this.sayCell();
  }

  /** Mark a cell that was reached with the keyboard, and announce it to screen readers. */
  move(point) {
    this.#cursor = point;
    this.mark({ here: point });
    clearTimeout(this.#speaking);
    this.#speaking = setTimeout(() => setText(this.spoken, this.cells.sentence(point)), REST);
  }

  /** Open the card of a cell. */
  choose(point) {
    this.#cursor = point;
    this.mark({ chosen: point, here: null });
    const { across, up } = this.model;
    const known = this.model.networks.map((network) => network.at(point.i, point.j)).find(Boolean);
    const value = { x: known?.x ?? across.value(point.i), y: known?.y ?? up.value(point.j) };
    this.data = { ...this.data, chosen: value };
    this.send("chosen", value);
    this.card.known = 0;
    this.card.show();
  }

  /** Request the map of a rectangle, whose edges are given as places along the axes. */
  zoom({ left, right, low, high }) {
    if (this.touchZoom) this.#toggleTouch();
    const { across, up } = this.model;
    this.send("zoom", { across: span(across, left, right), up: span(up, low, high) });
  }

  #toggleTouch() {
    this.touchZoom = !this.touchZoom;
    this.touch.setAttribute("aria-pressed", String(this.touchZoom));
    this.root.classList.toggle("bnviz-stability-drawing", this.touchZoom);
  }

  /**
   * Describe the cell under the pointer in the readout. If the pointer is not over a cell, describe the selected cell.
   */
  sayCell() {
    fill(this.readout, this.cells.written(this.over.here ?? this.over.chosen));
  }

  /** Set whether the map should be drawn. */
  want(wanted) {
    this.wanted = wanted;
    this.feed?.want(wanted);
    this.question.draw(this.subject.state());
    this.#show();
  }

  /** Perform the action of a button or key. @returns whether there was anything to do */
  act(name) {
    return act(this, name);
  }

  /** Whether the drawing of the map has ended and no rows are withheld for a class. */
  get nothingLeft() {
    return !this.subject.held && ["finished", "failed"].includes(this.answer?.status);
  }

  end() {
    this.feed?.end();
    this.#sizes.disconnect();
    this.#ended.abort();
    this.stage?.end();
    this.question.destroy();
    this.notices.destroy();
    clearTimeout(this.#speaking);
    if (this.#animationFrame) cancelAnimationFrame(this.#animationFrame);
    this.root.remove();
  }
}

/**
 * Return the values at two places along an axis. They are limited to the range of the axis, and rounded if the knob
 * takes only integers.
 */
function span(axis, from, to) {
  const ends = [from, to].map((place) => axis.value(within(place, 0, axis.last)));
  return axis.whole ? ends.map(Math.round) : ends;
}
