// The live view of one run: builds the parts once, hands them data and frames, draws when needed.

import { act } from "./actions.js";
import { Block } from "./block.js";
import { ChartsArea } from "./charts/charts_area.js";
import { loadPlotly } from "./charts/plotly.js";
import { AskTheClass } from "../classroom/ask_the_class.js";
import { RunSubject } from "../classroom/run_subject.js";
import { AddressWriter, liveQuery } from "./data/address.js";
import { Arrival } from "./data/arrival.js";
import { KnobLink } from "./data/knob_link.js";
import { publish, withdraw } from "./data/open_runs.js";
import { PassedSteps } from "./data/passed_steps.js";
import { PageScript } from "./data/page_script.js";
import { RewoundKnobs } from "./data/rewound_knobs.js";
import { Store } from "./data/store.js";
import { loadTemplates } from "./data/templates.js";
import { TimeCursor } from "./data/time_cursor.js";
import { ViewerRequests } from "./data/viewer_requests.js";
import { DrawScheduler } from "./draw_scheduler.js";
import { listenToKeys } from "./keyboard.js";
import { Knobs } from "./knobs/knobs.js";
import { StabilityEdges } from "./knobs/stability_edges.js";
import { h, setHidden } from "./lib/dom.js";
import { preloadWidgets } from "./lib/preload.js";
import { tabToChecked } from "./lib/radio_focus.js";
import { Screen } from "./lib/screen.js";
import { translator } from "./lib/texts.js";
import { Announcer } from "./panels/announcer.js";
import { Cards } from "./panels/cards.js";
import { Moment } from "./panels/moment.js";
import { Notices } from "./panels/notices.js";
import { showRunNotices } from "./panels/run_notices.js";
import { Timeline } from "./panels/timeline.js";
import { Transport } from "./panels/transport.js";
import { TalkBar } from "./talk.js";
import { Stage } from "./stage/stage.js";

const PATIENCE = 1500; // ms that the rest of the page waits at most for the first frame
const KNOBS_TAKE = 1000; // ms in which the browser makes the page's knobs

let views = 0;

export class LiveView {
  ended = false;
  store = null;
  time = null;
  link = null;
  covered = null; // the question that nothing on the page is to answer now
  #requests = null;
  #chartsId = null;
  #undo = [];
  #published = null; // what controls elsewhere in the page have of the run
  #told = false; // the page knows that it need not wait

  constructor(parent, data, trigger, setState) {
    this.id = ++views;
    this.data = data;
    this.t = translator(data.texts);
    this.script = new PageScript(this.id);
    this.address = new AddressWriter(() => this.data.address && liveQuery(this.data.address, this.data.knobs, this.link.values),
      (query) => this.script.send("visit", { query }));
    this.plotly = loadPlotly(data.base, data.version);
    this.plotly.catch(() => this.notices.show("no_charts", {}, { sticky: true }));
    this.#build(parent);
    this.#watchSurroundings();
    this.update(data, trigger, setState);
    const patience = setTimeout(() => this.reportDrawn(), PATIENCE);
    this.#undo.push(() => clearTimeout(patience));
  }

  #build(parent) {
    this.notices = new Notices(this);
    this.announcer = new Announcer(this);
    this.transport = new Transport(this);
    this.moment = new Moment(this);
    this.cards = new Cards(this);
    this.charts = new ChartsArea(this);
    this.timeline = new Timeline(this);
    this.edges = new StabilityEdges(this);
    this.block = this.data.block ? new Block(this) : null;
    this.rate = new Knobs(this, { scale: true, extras: false });
    this.rate.element.classList.add("bnviz-rate");
    this.question = new AskTheClass(this, new RunSubject(this));
    this.scheduler = new DrawScheduler(this);
    this.passed = new PassedSteps(this);
    this.arrival = new Arrival(this);
    this.talk = new TalkBar(this);
    this.transport.element.insertBefore(this.talk.element, this.transport.live);
    this.parts = [this.talk, this.transport, this.cards, this.timeline, this.question, this.moment, this.edges];
    this.charts.element.append(this.charts.lead, this.charts.main, this.timeline.element, this.charts.menu.pills, this.charts.more);
    this.bar = h("div", { class: "bnviz-bar" }, this.transport.element, this.rate.element, this.notices.element);
    this.root = h("div", { class: "bnviz", "data-testid": "live-view" });
    this.stage = this.data.present ? new Stage(this) : null;
    if (!this.block) this.root.append(h("h1", { class: "bnviz-hidden" }, this.data.title ?? ""));
    if (this.block) this.block.arrange();
    else if (this.stage) this.stage.arrange();
    else {
      this.timeline.element.after(this.moment.element);
      // All of it in one window; charts that somebody adds stand below.
      this.root.append(h("div", { class: "bnviz-window" }, this.bar, this.question.element, this.cards.element,
        this.charts.menu.chooser, this.charts.element), this.charts.more, this.announcer.element);
    }
    parent.append(this.root);
  }

  #watchSurroundings() {
    this.screen = new Screen(() => this.#adapt());
    const seen = () => {
      this.#requests?.visibility();
      if (!document.hidden) this.store?.hurry();
    };
    document.addEventListener("visibilitychange", seen);
    this.#undo.push(() => this.screen.close(), () => document.removeEventListener("visibilitychange", seen), listenToKeys(this), tabToChecked());
  }

  /** New data from the page: another run, other charts, other words; what stays the same is kept. */
  update(data, trigger, setState) {
    this.data = data;
    this.script.update(trigger, setState, data.commands_done);
    this.t = translator(data.texts);
    this.root.dataset.theme = data.dark ? "dark" : "light";
    this.root.classList.toggle("bnviz-present", Boolean(data.present));
    if (this.store?.run !== data.run) this.#open(data);
    this.stage?.update();
    if (this.#chartsId !== chartsId(data)) this.#loadCharts(data);
    else this.charts.update();
    this.link.assume(data.knobs.values);
    this.address.hear(data);
    this.address.write();
    for (const part of this.parts) part.update();
    this.block?.update();
    this.#adapt();
    this.charts.requestPast();
    this.notices.fromPage(data);
    this.arrival.go();
    this.paint();
  }

  /** Other charts: those that stand there stay until their templates have come. */
  async #loadCharts(data) {
    const { base } = data;
    const id = chartsId(data);
    this.#chartsId = id;
    const current = () => this.#chartsId === id && !this.ended;
    try {
      const { main, more, stage } = await loadTemplates(base, id);
      if (!current()) return;
      this.notices.hide("no_templates");
      this.charts.build(main, more, stage);
      this.charts.requestPast();
      this.paint();
    } catch {
      if (!current()) return;
      this.#chartsId = null; // the page's next word tries again
      this.notices.show("no_templates", {}, { sticky: true });
    }
  }

  #open(data) {
    this.#closeRun();
    this.charts.forget();
    this.announcer.forget();
    this.store = new Store(data.run, data.base, data.wire, data.initial);
    this.store.keepsAt = data.moment?.step ?? null;
    this.time = new TimeCursor(this.store);
    this.#requests = new ViewerRequests(this.store);
    this.link = new KnobLink(this.store, data.knobs.values);
    this.link.aside = new RewoundKnobs(this);
    this.link.on("values", () => this.#knobsMoved());
    this.rate.bind(this.link, this.edges);
    this.#published = { link: this.link, edges: this.edges };
    publish(data.run, this.#published);
    this.store.on("frame", () => this.scheduler.request({ live: true }));
    this.store.on("series", () => this.scheduler.request({ series: true }));
    this.store.on("hello", () => this.#greet());
    for (const name of ["status", "history", "best"]) this.store.on(name, () => this.paint());
    this.store.on("status", () => this.transport.settle());
    this.time.on("shown", () => this.scheduler.request({ frame: true }));
    this.time.on("mode", () => {
      this.charts.invalidate();
      this.paint();
    });
    showRunNotices(this);
  }

  #closeRun() {
    if (this.store) withdraw(this.store.run, this.#published);
    this.store?.close();
    this.time?.close();
    this.link?.close();
  }

  /** The address has what the knobs say now. */
  #knobsMoved() {
    this.edges.fill(); // with momentum they lie elsewhere
    if (this.link.settled) this.address.soon();
  }

  /** A connection stands: draw everything afresh. */
  #greet() {
    // Before the first change the present config is the initial one.
    if (!this.store.changes.length) this.store.initial ??= this.data.config;
    this.#requests.begin(this.screen.frameRate, this.charts.needs());
    this.charts.forget();
    this.arrival.go();
  }

  /** Other charts stand on the page: ask for what they draw. */
  askProbes() {
    this.#requests?.probes(this.charts.needs());
  }

  /** The networks are on screen, or will not be soon: the page may make what stands beside them. */
  reportDrawn() {
    if (this.#told || !this.data.page_waits) return;
    this.#told = true;
    this.scheduler.giveWay(KNOBS_TAKE);
    preloadWidgets();
    this.script.drawn();
  }

  #adapt() {
    const { narrow } = this.screen;
    if (this.#chartsId !== chartsId(this.data)) this.#loadCharts(this.data);
    this.root.classList.toggle("bnviz-narrow", narrow);
    this.charts.setMode(this.block?.mode(narrow) ?? (narrow ? "phone" : this.data.present ? "present" : "page"));
    const here = narrow || this.data.present || this.block;
    setHidden(this.rate.element, !here || !this.data.knobs.shown.length);
    this.rate.update();
    // On a phone only what is used all the time stays at hand.
    if (!this.block && !this.stage) this.#putOthers(narrow ? this.root : this.transport.element);
    this.#requests.rate(this.screen.frameRate);
  }

  /** What is moved loses the focus, so it is moved only where it stands elsewhere. */
  #putOthers(place) {
    const { others } = this.transport;
    if (others.parentElement !== place) place.append(others);
  }

  /** What is shown now; null before the first frame. */
  scene() {
    const { store, time } = this;
    if (!store?.live) return null;
    const rewound = time.rewound && time.frame !== null;
    const frame = rewound ? time.frame : store.live;
    return { frame, live: store.live, rewound, step: frame.step, store };
  }

  /** Draw soon, at the reader's own doing: no waiting for the next frame. */
  paint() {
    this.scheduler.request({ now: true });
  }

  /** Draw a scene into every part. */
  draw(scene, what) {
    for (const part of this.parts) part.draw(scene);
    this.charts.draw(scene, what);
    this.block?.draw(scene);
    this.passed.draw(scene);
    this.stage?.draw(scene);
    this.announcer.draw(scene);
  }

  /** Do what a button or a key stands for. */
  act(name, values) {
    return act(this, name, values);
  }

  destroy() {
    this.ended = true;
    for (const undo of this.#undo) undo();
    this.address.stop();
    this.scheduler.stop();
    this.#closeRun();
    this.talk.destroy();
    this.rate.destroy();
    this.charts.destroy();
    this.notices.destroy();
    this.announcer.destroy();
    this.question.destroy();
    this.block?.destroy();
    this.stage?.end();
    this.root.remove();
  }
}

/** The charts made for the width of this window. */
function chartsId({ charts_ids: ids }) {
  const fitting = Object.keys(ids).map(Number).filter((least) => least <= innerWidth);
  return ids[Math.max(0, ...fitting)];
}
