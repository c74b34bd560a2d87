// The stability map: built once, handed data by the page's script and rows by the feed.

import { AskTheClass } from "../live/class/ask.js";
import { fill, h, setText } from "../live/lib/dom.js";
import { lookUp, translator } from "../live/lib/texts.js";
import { Notices } from "../live/panels/notices.js";
import { AboutMap } from "./about_map.js";
import { act } from "./actions.js";
import { CARD, Card } from "./card.js";
import { CellWords } from "./cell_words.js";
import { X, Y } from "./columns.js";
import { Feed } from "./feed.js";
import { Head } from "./head.js";
import { Heading } from "./heading.js";
import { listenToKeys } from "./keyboard.js";
import { Largest } from "./largest.js";
import { withCues } from "./looks.js";
import { MapModel } from "./model.js";
import { Planes } from "./planes.js";
import { BorderTable, Reading } from "./reading.js";
import { MapStage } from "./stage.js";

const REST = 250; // ms after the last key until a cell is spoken
const COARSE = "(pointer: coarse)";

export class MapView {
  over = { here: null, chosen: null, zoom: null }; // places marked on every plane
  answer = null; // the feed's newest
  model = null;
  wanted = true;
  feed = null;
  stage = null; // where the page is for a hall
  #cursor = null; // where the keys are
  #offline = false;
  #gone = false;
  #frame = null;
  #speaking = null;
  #touchZoom = false;
  #saidByPage = "";
  #alike = null; // what maps have in common that differ in their axes' ends alone
  #sizes;
  #silence; // ends listening to keys

  constructor(parent, component) {
    this.#hear(component);
    this.cells = new CellWords(this);
    this.card = new Card(this);
    this.on = {
      at: () => this.#cursor ?? this.over.chosen ?? this.#home(),
      hover: (point) => this.#mark({ here: point }),
      move: (point) => this.#move(point),
      choose: (point) => this.#choose(point),
      zoom: (zoom) => this.#mark({ zoom }),
      zoomed: (rectangle) => this.#zoom(rectangle),
      touchZoom: () => this.#touchZoom,
    };
    this.#build(parent);
    this.#silence = listenToKeys(this);
    this.#sizes = new ResizeObserver(() => this.#fit());
    this.#sizes.observe(this.planes.element);
    for (const element of [this.largest.body, this.head.element]) this.#sizes.observe(element);
  }

  #hear({ data, setTriggerValue }) {
    this.data = data;
    this.send = setTriggerValue;
    this.norms = withCues(data.norms);
    const tables = { ...data.texts.view, reading: data.texts.reading ?? {} };
    this.t = translator(tables);
    this.has = (key) => lookUp(tables, key) !== undefined;
  }

  #build(parent) {
    const { t } = this;
    this.about = new AboutMap(this);
    this.page = this.about.page;
    this.question = new AskTheClass(this.page, this.about);
    this.notices = new Notices(this.page);
    this.head = new Head(this);
    this.heading = new Heading(this);
    this.planes = new Planes(this);
    this.readout = h("p", { class: "bnviz-stability-readout" });
    this.help = h("p", { class: "bnviz-stability-help" }, t(matchMedia(COARSE).matches ? "help_touch" : "help"));
    this.spoken = h("div", { class: "bnviz-hidden", role: "status", "aria-live": "polite" });
    this.touch = h("button", { type: "button", class: "bnviz-pill bnviz-stability-touch", "aria-pressed": "false", onclick: () => this.#toggleTouch() }, t("zoom_toggle"));
    this.largest = new Largest(this);
    this.reading = new Reading(this);
    this.table = new BorderTable(this);
    this.root = h("div", { class: "bnviz bnviz-stability", "data-testid": "map" });
    parent.append(this.root);
  }

  /** Put the parts where they stand: on the normal page, or on the stage. */
  #arrange() {
    const { root, head, heading, planes, question, notices } = this;
    this.stage?.end();
    this.stage = this.data.present ? new MapStage(this) : null;
    root.classList.toggle("bnviz-present", Boolean(this.stage));
    const { title, intro, present } = this.data;
    const name = h("header", { class: present ? "bnviz-hidden" : "bnviz-stability-name" }, h("h1", {}, title), present ? null : h("p", {}, intro));
    if (this.stage) return fill(root, name, this.stage.element, this.spoken);
    head.arrange();
    return fill(root, name, head.element, notices.element, question.element,
      h("section", { class: "bnviz-card bnviz-stability-card" },
        h("header", { class: "bnviz-stability-title" }, heading.element, this.touch, heading.choice),
        planes.element, this.readout, h("div", { class: "bnviz-stability-foot" }, planes.legend, this.help), this.table.element),
      h("div", { class: "bnviz-stability-below" }, this.reading.element, this.largest.element), this.spoken);
  }

  /** New data from the page's script: the same key goes on with what is drawn. */
  update(component) {
    this.#hear(component);
    const { data } = this;
    const homeless = this.#losesFocus();
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
    this.#sayNotices();
    if (homeless) this.planes.all[0].svg.focus({ preventScroll: true });
    this.#show();
  }

  /** What the page has to say of what was asked of it, where it has no place of its own for it. */
  #sayNotices() {
    const text = (this.data.notices ?? []).join(" ");
    if (text && text !== this.#saidByPage) this.notices.show("said", { text });
    this.#saidByPage = text;
  }

  /** Whether what the keys are on goes with the newest data: a way back, or the card. */
  #losesFocus() {
    const here = document.activeElement;
    return this.head.crumbs.contains(here) || Boolean(this.over.chosen && !this.data.chosen && (here === document.body || here?.closest(CARD)));
  }

  #open() {
    const { data } = this;
    this.feed?.end();
    const before = this.#alike === data.alike ? this.model : null;
    this.#alike = data.alike;
    this.model = new MapModel(data);
    if (before) this.model.follow(before);
    this.answer = this.#cursor = null;
    this.#offline = this.#gone = false;
    this.over = { here: null, chosen: null, zoom: null };
    this.wanted = !data.stopped && !data.follows && !this.question.thinks;
    this.root.dataset.key = data.key;
    this.table.forget();
    this.feed = !data.key ? null : new Feed({ // a map that could not be had has no key: the page says why
      address: `${data.base}/maps/${data.key}`, wanted: this.wanted,
      onanswer: (answer) => this.#take(answer),
      onproblem: (problem) => {
        this.#offline = problem !== null;
        this.#show();
      },
      ongone: () => {
        this.#gone = true;
        this.send("gone", data.key);
        this.#show();
      },
    });
    this.about.again();
  }

  #take(answer) {
    this.#gone = false;
    this.model.take(answer.points);
    const marks = JSON.stringify(answer.edges) !== JSON.stringify(this.answer?.edges);
    this.answer = answer;
    const haunted = Boolean(this.model.ghost);
    if (answer.status === "finished") this.model.forget();
    if (answer.points.length || marks || haunted) this.#frame ??= requestAnimationFrame(() => this.#draw());
    if (answer.points.length) this.card.tell();
    this.question.draw(this.about.now());
    this.#show();
  }

  #draw() {
    this.#frame = null;
    const begun = performance.now();
    if (this.data.chosen && this.over.chosen) this.over.chosen = this.model.nearest(this.data.chosen.x, this.data.chosen.y);
    this.planes.draw();
    this.planes.drawOver();
    this.table.draw();
    this.sayCell();
    this.root.dataset.drawn = (performance.now() - begun).toFixed(1);
    this.#mark({});
    this.root.dataset.points = this.model.count;
  }

  #show() {
    const { answer, root } = this;
    this.head.show(answer, this.#offline, this.#gone);
    this.stage?.show(answer);
    this.reading.draw(answer?.reading);
    this.largest.draw(answer?.reading?.largest);
    root.dataset.status = this.#offline ? "disconnected" : this.about.held ? "paused" : (answer?.status ?? "waiting");
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

  #home() {
    const { across, up } = this.model;
    return { i: Math.floor(across.rungs.length / 2) * 8, j: Math.floor(up.rungs.length / 2) * 8 };
  }

  #mark(changes) {
    Object.assign(this.over, changes);
    this.planes.drawOver();
    this.sayCell();
  }

  #move(point) {
    this.#cursor = point;
    this.#mark({ here: point });
    clearTimeout(this.#speaking);
    this.#speaking = setTimeout(() => setText(this.spoken, this.cells.sentence(point)), REST);
  }

  #choose(point) {
    this.#cursor = point;
    this.#mark({ chosen: point, here: null });
    const { across, up } = this.model;
    const known = this.model.networks.map((network) => network.at(point.i, point.j)).find(Boolean);
    const value = { x: known?.[X] ?? across.value(point.i), y: known?.[Y] ?? up.value(point.j) };
    this.data = { ...this.data, chosen: value };
    this.send("chosen", value);
    this.card.known = 0;
    this.card.show();
  }

  #zoom({ left, right, low, high }) {
    if (this.#touchZoom) this.#toggleTouch();
    const { across, up } = this.model;
    this.send("zoom", { across: span(across, left, right), up: span(up, low, high) });
  }

  #toggleTouch() {
    this.#touchZoom = !this.#touchZoom;
    this.touch.setAttribute("aria-pressed", String(this.#touchZoom));
    this.root.classList.toggle("bnviz-stability-drawing", this.#touchZoom);
  }

  /** What is pointed at, in words. */
  sayCell() {
    fill(this.readout, ...this.cells.written(this.over.here ?? this.over.chosen));
  }

  want(wanted) {
    this.wanted = wanted;
    this.feed?.want(wanted);
    this.question.draw(this.about.now());
    this.#show();
  }

  /** Do what a button or a key stands for. @returns whether there was anything to do */
  act(name) {
    return act(this, name);
  }

  /** Whether nothing is left to be drawn, or to be uncovered. */
  get nothingLeft() {
    return !this.about.held && ["finished", "failed"].includes(this.answer?.status);
  }

  end() {
    this.feed?.end();
    this.#sizes.disconnect();
    this.#silence();
    this.stage?.end();
    this.question.destroy();
    this.notices.destroy();
    clearTimeout(this.#speaking);
    if (this.#frame) cancelAnimationFrame(this.#frame);
    this.root.remove();
  }
}

/** From one value of a knob to another, within its ladder; whole where the knob is. */
function span(axis, from, to) {
  const ends = [from, to].map((place) => axis.value(Math.min(axis.last, Math.max(0, place))));
  return axis.whole ? ends.map(Math.round) : ends;
}
