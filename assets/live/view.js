// Live view of one run. It creates its parts once, and then passes the page's data and the run's frames to them.

import { AskTheClass } from "../classroom/ask_the_class.js";
import { QuestionedRun } from "../classroom/questioned_run.js";
import { act, listenToKeys } from "./buttons_and_keys.js";
import { ChartsArea } from "./charts/charts_area.js";
import { loadPlotly, loadTemplates } from "./charts/loading.js";
import { AddressWriter, liveQuery } from "./data/address.js";
import { KnobLink } from "./data/knob_link.js";
import { PageScript, PassedSteps, PictureTemplates } from "./data/page_script.js";
import { followRun, publishRun, withdrawRun } from "./data/published_runs.js";
import { Readings } from "./data/readings.js";
import { RewoundKnobs } from "./data/rewound_knobs.js";
import { ScriptConnection } from "./data/script_connection.js";
import { Store } from "./data/store.js";
import { FirstStep, TimeCursor } from "./data/time_cursor.js";
import { DrawScheduler } from "./draw_scheduler.js";
import { Knobs } from "./knobs/knobs.js";
import { StabilityEdges } from "./knobs/stability_edges.js";
import { h, setHidden } from "./lib/dom.js";
import { tabToChecked } from "./lib/keyboard_focus.js";
import { preloadWidgets } from "./lib/mounting.js";
import { Screen } from "./lib/screen.js";
import { translator } from "./lib/texts.js";
import { PageLayout } from "./page_layout.js";
import { Announcer } from "./panels/announcer.js";
import { Cards } from "./panels/cards.js";
import { Notices, showRunNotices } from "./panels/notices.js";
import { StepToSee, Timeline } from "./panels/timeline.js";
import { Transport } from "./panels/transport.js";
import { Stage } from "./stage/stage.js";
import { TalkBar } from "./talk.js";

const PATIENCE = 1500; // maximum time in ms for which the rest of the page waits for the first frame
const KNOBS_TAKE = 1000; // time in ms that the browser needs to create the page's knobs

let views = 0;

export class LiveView {
  ended = false;
  store = null;
  time = null;
  link = null;
  covered = null; // a class's open question, whose answer the page must not reveal, or null
  #run; // id of the opened run, or null if no run could be started
  #chartsId = null;
  #ends = new AbortController();
  #undo = [];
  #undoRun = []; // functions to call when the run shown is closed
  #unfollow = null;
  #published = null; // objects of this run that this view shares with other components of the page
  #toldDrawn = false; // whether the script has received the message that it can stop waiting

  /** Draw a view into an element. For the arguments see `mount` in live_view.js. */
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
    this.stepToSee = new StepToSee(this);
    this.cards = new Cards(this);
    this.charts = new ChartsArea(this);
    this.timeline = new Timeline(this);
    this.edges = new StabilityEdges(this);
    this.readings = this.data.block?.parts.includes("band") ? new Readings(this) : null;
    this.pageLayout = this.data.block ? new PageLayout(this) : null;
    this.rate = new Knobs(this);
    this.rate.element.classList.add("bnviz-rate");
    this.question = new AskTheClass(this, new QuestionedRun(this));
    this.scheduler = new DrawScheduler(this);
    this.passedSteps = new PassedSteps(this);
    this.pictures = new PictureTemplates(this);
    this.firstStep = new FirstStep(this);
    this.scriptConnection = this.follows ? null : new ScriptConnection(this);
    this.talk = new TalkBar(this);
    this.transport.element.insertBefore(this.talk.element, this.transport.live);
    this.parts = [this.talk, this.transport, this.cards, this.timeline, this.question, this.stepToSee, this.edges];
    this.charts.element.append(this.charts.lead, this.charts.main, this.timeline.element, this.charts.menu.pills, this.charts.more);
    this.bar = h("div.bnviz-bar", this.transport, this.rate, this.notices);
    this.root = h("div.bnviz", { "data-testid": "live-view" });
    this.stage = this.data.present ? new Stage(this) : null;
    if (!this.pageLayout) this.root.append(h("h1.bnviz-hidden", this.data.title));
    if (this.pageLayout) this.pageLayout.arrange();
    else if (this.stage) this.stage.arrange();
    else {
      this.timeline.element.after(this.stepToSee.element);
      // In the lab, all of these parts fit into one window. Charts that the reader adds follow below the window.
      this.root.append(h("div.bnviz-window", this.bar, this.question, this.cards,
        this.charts.menu.chooser, this.charts), this.charts.more, this.announcer.element);
    }
    parent.append(this.root);
  }

  #watchSurroundings() {
    this.screen = new Screen(() => this.#adapt(), this.signal);
    const onVisibility = () => {
      if (this.follows) return;
      this.store?.sendVisibility();
      if (!document.hidden) this.store?.resume();
    };
    document.addEventListener("visibilitychange", onVisibility, { signal: this.signal });
    listenToKeys(this);
    this.#undo.push(tabToChecked());
  }

  /**
   * Update the view with new data from the page, which may be for another run, other charts or another language. Parts
   * that have not changed stay mounted.
   */
  update(data, trigger, setState) {
    this.data = data;
    this.script.update(trigger, setState, data.commands_done);
    this.t = translator(data.texts);
    this.root.dataset.theme = data.dark ? "dark" : "light";
    this.root.classList.toggle("bnviz-present", Boolean(data.present));
    if (this.#run !== data.run) this.#open(data);
    else this.link?.rewound?.settle();
    this.stage?.update();
    if (this.#chartsId !== chartsId(data)) this.#loadCharts(data);
    else this.charts.update();
    this.link.assume(data.knobs.values);
    this.address.update(data);
    this.address.write();
    for (const part of this.parts) part.update();
    this.pictures.update();
    this.pageLayout?.update();
    this.#adapt();
    this.charts.requestPast();
    this.notices.fromPage(data.notices);
    this.scriptConnection?.arrive();
    this.firstStep.show();
    this.paint();
  }

  /** Load other charts. The current charts stay until the templates of the new charts have arrived. */
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
      this.#chartsId = null; // the next call of `update` tries again
      this.notices.show("no_templates", {}, { sticky: true });
    }
  }

  /** Signal that aborts when the view ends, which removes its listeners on the document. */
  get signal() {
    return this.#ends.signal;
  }

  /** Whether this view shows a run that it receives through the connection of another view on this page. */
  get follows() {
    return Boolean(this.data.block?.follows);
  }

  /** Show another run. */
  #open(data) {
    const before = this.#run;
    const set = this.#closeRun();
    this.#run = data.run;
    if (data.run) this.root.dataset.shown = data.run; // read after a restart of the server (ScriptConnection)
    this.charts.forget();
    this.announcer.forget();
    if (this.follows) {
      this.#unfollow = followRun(data.run, (found) => this.#follow(found ?? this.#connect("")));
      return;
    }
    Object.assign(this, this.#connect(data.run));
    this.store.stepToSee = data.step_to_see?.step ?? null;
    this.link.rewound = new RewoundKnobs(this);
    if (data.fork_of && data.fork_of === before) this.link.carry(set);
    this.link.on("values", () => this.#knobsChanged());
    this.rate.bind(this.link, this.edges);
    this.#undoRun = this.#listen();
    showRunNotices(this);
    this.#published = { link: this.link, edges: this.edges, store: this.store, time: this.time };
    publishRun(data.run, this.#published);
  }

  /**
   * Connect to a run, and return {store, time, link}. If the id is "", these parts are empty and have no connection.
   */
  #connect(run) {
    const { base, wire, initial, knobs, tab } = this.data;
    const store = new Store(run, base, wire, initial, tab);
    return { store, time: new TimeCursor(store), link: new KnobLink(store, knobs.values) };
  }

  /**
   * Show the run of another view, received through that view's connection. Nothing is drawn before the other view has a
   * run.
   */
  #follow({ store, time, link }) {
    for (const undo of this.#undoRun) undo();
    Object.assign(this, { store, time, link });
    this.#undoRun = [...this.#listen(), () => store.wantProbes(this.id, [])];
    this.charts.forget();
    this.wantProbes();
    this.paint();
  }

  /**
   * Draw whenever the run or the step shown changes.
   *
   * @returns functions that remove the listeners
   */
  #listen() {
    const { store, time } = this;
    return [
      store.on("frame", () => this.scheduler.request({ live: true })),
      store.on("series", () => this.scheduler.request({ series: true })),
      store.on("hello", () => this.#beginAnew()),
      store.on("connection", (state) => state === "over" && this.scriptConnection?.tell(null)),
      ...["status", "history", "best"].map((name) => store.on(name, () => this.paint())),
      store.on("status", () => this.transport.settle()),
      time.on("shown", () => this.scheduler.request({ frame: true })),
      time.on("mode", () => {
        this.charts.invalidate();
        this.paint();
      }),
    ];
  }

  /**
   * Close the run that is shown.
   * @returns the knob values that the reader set while a fork was being created, by knob name
   */
  #closeRun() {
    this.#unfollow?.();
    for (const undo of this.#undoRun) undo();
    this.#undoRun = [];
    if (this.follows || !this.store) return {};
    withdrawRun(this.#run, this.#published);
    const set = this.link.close();
    this.store.close();
    this.time.close();
    return set;
  }

  #knobsChanged() {
    this.edges.fill(); // the momentum may have changed, and the stability edge depends on it
    if (this.link.settled) this.address.writeSoon();
  }

  /**
   * Draw everything again after the server's `hello` message. It means that the connection is new or that the run has
   * started over.
   */
  #beginAnew() {
    if (!this.follows) this.store.sendWishes(this.screen.frameRate);
    this.wantProbes();
    this.charts.forget();
    this.firstStep.show();
    this.scriptConnection?.update();
  }

  /** Request the probes that the charts on the page draw. */
  wantProbes() {
    this.store?.wantProbes(this.id, this.charts.needs());
  }

  /**
   * Let the script create the rest of the page, because the networks have been drawn or because drawing them takes too
   * long.
   */
  reportDrawn() {
    if (this.#toldDrawn || !this.data.page_waits) return;
    this.#toldDrawn = true;
    this.scheduler.giveWay(KNOBS_TAKE);
    preloadWidgets();
    this.script.tell("drawn", true);
  }

  /** Prepare for the first run of a script whose state is empty. */
  startAgain() {
    this.#toldDrawn = false;
    this.talk.update();
  }

  /** Adapt to the width of the window. */
  #adapt() {
    const { narrow } = this.screen;
    if (this.#chartsId !== chartsId(this.data)) this.#loadCharts(this.data);
    this.root.classList.toggle("bnviz-narrow", narrow);
    this.charts.setMode(this.pageLayout?.mode(narrow) ?? (narrow ? "phone" : this.data.present ? "present" : "page"));
    // if the view does not show the learning rate, the sidebar shows it
    const here = narrow || this.data.present || this.pageLayout;
    setHidden(this.rate.element, !here || !this.data.knobs.shown.length);
    this.rate.update();
    // On a phone, the rarely used buttons are at the end of the page.
    if (!this.pageLayout && !this.stage) this.#putOthers(narrow ? this.root : this.transport.element);
    this.store.limitRate(this.screen.frameRate);
  }

  /** Move the rarely used buttons only if they are not in this place yet, because a moved element loses the focus. */
  #putOthers(place) {
    const { others } = this.transport;
    if (others.parentElement !== place) place.append(others);
  }

  /**
   * Whether the page must hide the layer in which a network broke, because a class or a stop of a talk has a question
   * about that layer.
   */
  get coversLayer() {
    const { covered, data } = this;
    return covered?.kind === "layer" || Boolean(data.talk && data.question?.kind === "layer");
  }

  /** Whether the page must hide the events after the step shown, because a class has a question about that step. */
  get coversLater() {
    return Boolean(this.covered) && this.time.rewound;
  }

  /**
   * Return the scene to draw, or null before the first frame: {frame: the frame shown; live: the newest frame; rewound:
   * whether these two frames may differ; step; store; lastStep: last step of the run's plan, up to which the time axes
   * extend; ranges: initial axis ranges [low, high] by measurement}.
   */
  scene() {
    const { store, time } = this;
    if (!store?.live) return null;
    const rewound = time.rewound && time.frame !== null;
    const frame = rewound ? time.frame : store.live;
    const { last_step: lastStep, ranges } = this.data;
    return { frame, live: store.live, rewound, step: frame.step, store, lastStep, ranges };
  }

  /** Draw at the next display frame, because the reader is waiting for the result of an action. */
  paint() {
    this.scheduler.request({ now: true });
  }

  /**
   * Draw a scene in every part of the view.
   * @param what {frame, series}: what has changed since the last drawing
   */
  draw(scene, what) {
    this.readings?.draw(scene);
    for (const part of this.parts) part.draw(scene);
    this.charts.draw(scene, what);
    this.pageLayout?.draw(scene);
    this.passedSteps.draw(scene);
    this.stage?.draw(scene);
    if (!this.follows) this.announcer.draw(scene); // each change is announced only once
  }

  /** Perform the action of a button or key (see `act` in buttons_and_keys.js). */
  act(name, values) {
    return act(this, name, values);
  }

  destroy() {
    this.ended = true;
    this.#ends.abort();
    for (const undo of this.#undo) undo();
    this.#closeRun();
    const { address, scheduler, talk, rate, charts, notices, announcer, question, pageLayout, stage, readings, scriptConnection } = this;
    for (const part of [address, scheduler, talk, rate, charts, notices, announcer, question, pageLayout, stage, readings, scriptConnection]) part?.destroy();
    this.root.remove();
  }
}

/** Id of the set of charts that suits the width of this window. */
function chartsId({ charts_ids: ids }) {
  const fitting = Object.keys(ids).map(Number).filter((least) => least <= innerWidth);
  return ids[Math.max(0, ...fitting)];
}
