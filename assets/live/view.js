// The live view of one run: builds the parts once, hands them data and frames, draws when needed.

import { liveQuery, writeAddress } from "./data/address.js";
import { askForKnobs } from "./lib/preload.js";
import { Announcer } from "./panels/announcer.js";
import { Cards } from "./panels/cards.js";
import { ChartsArea } from "./charts/charts_area.js";
import { h, setHidden } from "./lib/dom.js";
import { Edges } from "./knobs/stability_edges.js";
import { openExport } from "./dialogs/export.js";
import { listenToKeys } from "./keyboard.js";
import { KnobLink } from "./data/knob_link.js";
import { Knobs } from "./knobs/knobs.js";
import { Notices } from "./panels/notices.js";
import { Painter } from "./draw_scheduler.js";
import { loadPlotly } from "./charts/plotly.js";
import { PresentLayout } from "./panels/present_layout.js";
import { Question } from "./panels/question.js";
import { openShare } from "./dialogs/share.js";
import { share, unshare } from "./data/open_runs.js";
import { tellOfRun } from "./panels/run_notices.js";
import { Store } from "./data/store.js";
import { loadTemplates } from "./data/templates.js";
import { translator } from "./lib/texts.js";
import { Time } from "./data/time_cursor.js";
import { Timeline } from "./panels/timeline.js";
import { Transport } from "./panels/transport.js";

const NARROW = "(max-width: 640px)";
const PHONE = "(max-width: 480px)";
const PHONE_RATE = 2; // frames a second
const CALM_RATE = 1; // with reduced motion
const ADDRESS_AFTER = 250; // ms after a knob came to rest
const PATIENCE = 1500; // ms that the rest of the page waits at most for the first frame
const KNOBS_TAKE = 1000; // ms in which the browser makes the page's knobs

let views = 0;

export class LiveView {
  ended = false;
  store = null;
  time = null;
  link = null;
  #trigger;
  #setState;
  #chartsId = null;
  #undo = [];
  #nonce = 0;
  #shared = null; // what controls elsewhere in the page have of the run
  #addressing = null;
  #wanted = ""; // probes asked for over this connection
  #told = false; // the page knows that it need not wait
  givesWayUntil = 0; // till then the page has work to do in this browser

  constructor(parent, data, trigger, setState) {
    this.id = ++views;
    this.data = data;
    this.t = translator(data.texts);
    this.plotly = loadPlotly(data.base, data.version);
    this.plotly.catch(() => this.notices.show("no_charts", {}, { sticky: true }));
    this.#build(parent);
    this.#watchSurroundings();
    this.update(data, trigger, setState);
    const patience = setTimeout(() => this.tellDrawn(), PATIENCE);
    this.#undo.push(() => clearTimeout(patience));
  }

  #build(parent) {
    this.notices = new Notices(this);
    this.transport = new Transport(this);
    this.question = new Question(this);
    this.cards = new Cards(this);
    this.charts = new ChartsArea(this);
    this.timeline = new Timeline(this);
    this.edges = new Edges(this);
    this.rate = new Knobs(this, { scale: true, extras: false });
    this.rate.element.classList.add("bnviz-rate");
    this.announcer = new Announcer(this);
    this.painter = new Painter(this);
    this.parts = [this.transport, this.cards, this.timeline, this.question, this.edges];
    this.charts.element.append(this.charts.lead, this.charts.main, this.timeline.element, this.charts.menu.pills, this.charts.more);
    this.bar = h("div", { class: "bnviz-bar" }, this.transport.element, this.rate.element);
    this.root = h("div", { class: "bnviz", "data-testid": "live-view" },
      this.notices.element, this.bar, this.question.element, this.cards.element, this.charts.menu.chooser,
      this.charts.element, this.announcer.element);
    parent.append(this.root);
    this.layout = new PresentLayout(this);
  }

  #watchSurroundings() {
    this.media = Object.fromEntries(Object.entries({
      narrow: NARROW, phone: PHONE, calm: "(prefers-reduced-motion: reduce)",
    }).map(([name, query]) => [name, matchMedia(query)]));
    const changed = () => this.#suit();
    for (const media of Object.values(this.media)) this.#listen(media, "change", changed);
    this.#listen(document, "visibilitychange", () => {
      this.store?.send({ type: "hidden", hidden: document.hidden });
      if (!document.hidden) this.store?.hurry();
    });
    this.#undo.push(listenToKeys(this));
  }

  #listen(target, name, listener) {
    target.addEventListener(name, listener);
    this.#undo.push(() => target.removeEventListener(name, listener));
  }

  /** New data from the page: another run, other charts, other words; what stays the same is kept. */
  update(data, trigger, setState) {
    this.data = data;
    this.#trigger = trigger;
    this.#setState = setState;
    this.t = translator(data.texts);
    this.root.dataset.theme = data.dark ? "dark" : "light";
    this.root.classList.toggle("bnviz-present", Boolean(data.present));
    if (this.store?.run !== data.run) this.#open(data);
    if (this.#chartsId !== data.charts_id) this.#loadCharts(data);
    else this.charts.update();
    this.link.suppose(data.knobs.values);
    this.#sayAddress();
    for (const part of this.parts) part.update();
    this.#suit();
    this.layout.update();
    this.charts.ask();
    this.notices.fromPage(data);
    this.paint();
  }

  /** Other charts: those that stand there stay until their templates have come. */
  async #loadCharts({ base, charts_id: id }) {
    this.#chartsId = id;
    const current = () => this.#chartsId === id && !this.ended;
    try {
      const { main, more } = await loadTemplates(base, id);
      if (!current()) return;
      this.notices.hide("no_templates");
      this.charts.build(main, more);
      this.layout.update();
      this.charts.ask();
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
    this.time = new Time(this.store);
    this.link = new KnobLink(this.store, data.knobs.values);
    this.link.on("values", () => this.#knobsMoved());
    this.rate.bind(this.link, this.edges);
    this.#shared = { link: this.link, edges: this.edges };
    share(data.run, this.#shared);
    this.store.on("frame", () => this.painter.request({ live: true }));
    this.store.on("series", () => this.painter.request({ series: true }));
    this.store.on("hello", () => this.#greet());
    for (const name of ["status", "history", "best"]) this.store.on(name, () => this.paint());
    this.store.on("status", () => this.transport.settle());
    this.time.on("shown", () => this.painter.request({ frame: true }));
    this.time.on("mode", () => {
      this.charts.touch();
      this.paint();
    });
    tellOfRun(this);
  }

  #closeRun() {
    if (this.store) unshare(this.store.run, this.#shared);
    this.store?.close();
    this.time?.close();
    this.link?.close();
  }

  /** The address has what the knobs say now. */
  #knobsMoved() {
    this.edges.fill(); // with momentum they lie elsewhere
    if (!this.link.settled) return;
    clearTimeout(this.#addressing);
    // A browser takes a new address a few times a second at most.
    this.#addressing = setTimeout(() => this.#sayAddress(), ADDRESS_AFTER);
  }

  #sayAddress() {
    if (!this.ended && this.data.address) writeAddress(liveQuery(this.data.address, this.data.knobs, this.link?.values));
  }

  /** A connection stands: say how many frames are wanted, and draw everything afresh. */
  #greet() {
    // Before the first change the present config is the initial one.
    if (!this.store.changes.length) this.store.initial ??= this.data.config;
    this.#askRate();
    this.#wanted = "";
    this.askProbes();
    if (document.hidden) this.store.send({ type: "hidden", hidden: true });
    this.charts.forget();
  }

  #askRate() {
    const rate = this.frameRate;
    if (Number.isFinite(rate)) this.store?.send({ type: "rate", max_fps: rate });
  }

  /** Ask for what the charts on the page draw: a probe that no chart draws need not be measured. */
  askProbes() {
    const probes = this.charts.needs();
    if (!this.store || this.#wanted === probes.join()) return;
    this.#wanted = probes.join();
    this.store.send({ type: "want", probes });
  }

  /** Which charts were added belongs into the page's address. */
  tellOpened(names) {
    this.#setState("charts", names);
  }

  /** The networks are on screen, or will not be soon: the page may make what stands beside them. */
  tellDrawn() {
    if (this.#told || !this.data.page_waits) return;
    this.#told = true;
    this.givesWayUntil = performance.now() + KNOBS_TAKE;
    askForKnobs();
    this.#setState("drawn", true);
  }

  /** Most frames a second that this reader wants. */
  get frameRate() {
    if (this.media.calm.matches) return CALM_RATE;
    return Math.min(this.data.max_fps ?? Infinity, this.media.phone.matches ? PHONE_RATE : Infinity);
  }

  #suit() {
    const narrow = this.media.narrow.matches;
    this.root.classList.toggle("bnviz-narrow", narrow);
    this.charts.setMode(narrow ? "phone" : this.data.present ? "present" : "page");
    setHidden(this.rate.element, !(narrow || this.data.present) || !this.data.knobs.shown.length);
    this.rate.update();
    // On a phone only what is used all the time stays at hand.
    (narrow ? this.root : this.transport.element).append(this.transport.others);
    this.#askRate();
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
    this.painter.request({ now: true });
  }

  /** Draw a scene into every part. */
  draw(scene, what) {
    for (const part of this.parts) part.draw(scene);
    this.charts.draw(scene, what);
    this.announcer.draw(scene);
  }

  /** A button or a key: what the browser can settle is settled here, the rest goes to the script. */
  act(name, values = {}) {
    const { data } = this;
    const local = { share: () => openShare(this), export: () => openExport(this), present: () => this.#present() };
    if (local[name]) local[name]();
    else if (name === "copy" || data.can_control) this.#command(name, values);
    else return false;
    return true;
  }

  #command(name, values) {
    if (name === "play" || name === "pause") {
      name = this.transport.playing ? "pause" : "play";
      this.transport.expect({ playing: name === "play" });
    } else if (name === "pace") this.transport.expect(values);
    if (name === "fork") values = { step: this.scene()?.step ?? 0 };
    if (["play", "reset", "step", "fork", "copy"].includes(name)) this.time.live();
    this.send(name, values);
  }

  /** Send a command to the page's script. */
  send(name, values = {}) {
    this.#nonce += 1;
    this.#trigger("command", { name, ...values, nonce: `${this.id}-${Date.now()}-${this.#nonce}` });
  }

  #present() {
    const url = new URL(location.href);
    if (this.data.present) url.searchParams.delete("present");
    else url.searchParams.set("present", "1");
    location.assign(url);
  }

  destroy() {
    this.ended = true;
    for (const undo of this.#undo) undo();
    clearTimeout(this.#addressing);
    this.painter.stop();
    this.#closeRun();
    this.rate.destroy();
    this.charts.destroy();
    this.layout.destroy();
    this.root.remove();
  }
}
