// List of live knobs, used in the sidebar, beside the transport and in the presentation view.

import { followRun } from "../data/published_runs.js";
import { differsFromLast, fill, h, pill, setHidden, setText } from "../lib/dom.js";
import { factorWords } from "../lib/live_actions.js";
import { messageText } from "../lib/texts.js";
import { KnobChoice } from "./knob_choice.js";
import { KnobSlider } from "./knob_slider.js";
import { RateTrack } from "./rate_track.js";
import { ScaleWeights } from "./scale_weights.js";

const READING = 5000; // time in ms for which a row says that its setting was lost with the connection

/** List of live knobs. It shows the page's values until it is bound to the knob link of a run. */
export class Knobs {
  #host;
  #shown; // function that returns the names of the knobs
  link = null; // KnobLink of the run, or null if the page has no run
  #edges = null;
  #undo = [];
  #rows = new Map(); // id → KnobSlider, KnobChoice or ScaleWeights
  #isNew = differsFromLast(); // detects whether the specs of the rows have changed
  #run = null; // id of the run that the list follows
  #unfollow = () => {};
  // knobs that were set before the page had a run, to be sent to the next run: knob → [value, number of the drag]
  #unsent = new Map();

  /**
   * @param host {data: {knobs, norms, labels, colours, can_control, hide}, t, showConnection(lost)?}, read at each
   * update
   * @param inSidebar whether the list is in the sidebar, where it shows the preset's suggestions and the switch for one
   * learning rate per network; elsewhere it shows the powers of ten and the stability edges under the tracks
   * @param shown returns the names of the knobs; by default, the page's knobs
   */
  constructor(host, { inSidebar = false, shown = () => host.data.knobs.shown } = {}) {
    this.#host = host;
    this.#shown = shown;
    this.inSidebar = inSidebar;
    this.list = h("div.bnviz-knob-list");
    this.element = h("div.bnviz-knobs", this.list);
    this.ownRates = this.#createOwnRates();
  }

  /**
   * Bind the list to another run, or to no run if `link` is null. If both runs have a knob, its row is kept, so that a
   * drag and the keyboard focus survive.
   *
   * @param edges StabilityEdges, which marks the tracks
   */
  bind(link, edges = null) {
    this.#unbind();
    this.link = link;
    this.#edges = edges;
    this.#undo = link ? [
      link.on("values", () => this.#show()),
      link.on("acted", (message) => this.#rows.get(message.action)?.showDone(message)),
      link.on("refused", ({ knob, ...refusal }) => this.#showRefusal(knob, refusal)),
    ] : [];
    for (const row of this.#rows.values()) row.begin();
    this.update();
    this.#addEdges();
    if (!link) return;
    for (const [knob, set] of this.#unsent) link.setKnob(knob, ...set);
    this.#unsent.clear();
  }

  /**
   * Bind the list to a run as long as a view on the page shows the run.
   *
   * @param onBound called after a view that shows the run has appeared or disappeared
   */
  follow(run, onBound = () => {}) {
    if (this.#run === run) return;
    this.#unfollow();
    this.#run = run;
    this.#unfollow = followRun(run, (found) => {
      this.bind(found?.link ?? null, found?.edges ?? null);
      onBound(found);
    });
  }

  /** Rebuild the rows if their specs have changed, and show the values. */
  update() {
    const rows = this.#specs();
    if (this.#isNew(rows)) this.#build(rows);
    this.#show();
  }

  #value(knob) {
    if (this.link) return this.link.shown(knob);
    return this.#unsent.has(knob) ? this.#unsent.get(knob)[0] : this.#host.data.knobs.values[knob];
  }

  /**
   * Return the specs of the rows: one per knob or per part of a knob. If each network has its own learning rate, there
   * is one row per network.
   */
  #specs() {
    const { knobs, norms, labels } = this.#host.data;
    const t = this.#host.t;
    return this.#shown().flatMap((name) => {
      const spec = { ...knobs.specs[name], id: name, field: name, knob: name };
      if (spec.parts) return spec.parts.map((part, place) => ({
        ...spec, ...part, id: `${name}_${place}`, place, home: spec.home[place],
      }));
      if (name !== "learning_rate" || !this.#value("learning_rates")) return [spec];
      return norms.map((norm, place) => ({
        ...spec, id: `rate_${norm}`, field: "learning_rates", knob: "learning_rates", place, norm,
        label: t("knob.rate_of", { network: labels[norm] }), home: spec.homes?.[place] ?? spec.home, try: undefined,
      }));
    });
  }

  #build(specs) {
    this.#removeEdges();
    this.#rows.clear();
    const parts = specs.map((spec) => {
      const target = {
        gesture: () => this.link?.gesture() ?? 0,
        setKnob: (value, drag) => this.#setKnob(spec, value, drag),
        released: () => this.#show(),
      };
      const row = this.#row(spec, target);
      row.spec = spec;
      row.offer = this.inSidebar && spec.try !== undefined ? this.#offer(spec) : null;
      if (row.offer) row.element.append(row.offer);
      row.painted = spec.painted ? new RateTrack(spec.painted, spec.rungs.length, this.#host) : null;
      if (row.painted) row.track.append(row.painted.element);
      this.#rows.set(spec.id, row);
      return row.element;
    });
    const rates = specs.filter(({ knob }) => knob.startsWith("learning_rate")).length;
    if (rates && this.#mayHaveOwnRates()) parts.splice(rates, 0, this.ownRates.element);
    fill(this.list, parts);
    this.#addEdges();
  }

  #row(spec, target) {
    const { t } = this.#host;
    if (spec.action) return new ScaleWeights(spec, t, (value) => this.link?.act(spec.knob, value));
    if (spec.choices) return new KnobChoice(spec, t, target);
    return new KnobSlider(spec, t, target, { told: !this.inSidebar });
  }

  #addEdges() {
    for (const row of this.#rows.values()) {
      if (row.spec.edge) this.#edges?.add(row, row.spec.norm ?? null, row.spec.rungs);
    }
  }

  /** Show on the tracks which networks learn at each rate, if the page has not shown this yet. */
  showPainted() {
    for (const { painted } of this.#rows.values()) if (painted) painted.waits = false;
    this.#show();
  }

  /** Move the thumbs a little, once, to show that they can be dragged. */
  nudge() {
    for (const { track } of this.#rows.values()) track.classList.add("bnviz-beckons");
  }

  /**
   * Create a button that sets the value suggested by the preset. Once the suggested value is set, the button restores
   * the preset's own value.
   */
  #offer(spec) {
    return pill("", () => this.#setKnob(spec, this.#offered(spec)), { className: "bnviz-knob-try" });
  }

  #offered(spec) {
    return this.#value(spec.knob) === spec.try ? spec.home : spec.try;
  }

  #mayHaveOwnRates() {
    const { data } = this.#host;
    return this.inSidebar && data.norms.length > 1 && !data.hide.includes("learning_rates");
  }

  /** Create the switch that gives each network its own learning rate. */
  #createOwnRates() {
    const { t } = this.#host;
    const input = h("input", { type: "checkbox", role: "switch", onchange: () => {
      const { norms } = this.#host.data;
      const rate = this.#value("learning_rate");
      this.link?.setKnob("learning_rates", input.checked ? norms.map(() => rate) : null);
    } });
    const element = h("label.bnviz-knob-own", { title: t("knob.own_rates_help") },
      input, h("span", { "aria-hidden": true }), h("span", t("knob.own_rates")));
    return { element, input };
  }

  /**
   * Set the knob of a row.
   * @param spec spec of the row; if it has a `place`, the knob's value is a list, and the row sets the entry of one
   * network
   */
  #setKnob({ knob, place }, value, drag = 0) {
    const set = place === undefined ? value : this.#value(knob).with(place, value);
    if (this.link) this.link.setKnob(knob, set, drag);
    else this.#unsent.set(knob, [set, drag]);
  }

  #show() {
    // If separate learning rates have been switched on or off, rebuild the rows.
    const own = this.#rows.has("learning_rate") === Boolean(this.#value("learning_rates"));
    const rated = this.#shown().includes("learning_rate");
    if (rated && own && this.#rows.size) return this.update();
    const allowed = this.link?.allowed ?? this.#host.data.can_control;
    const waits = !this.link?.connected; // whether the page has no run yet, or no connection to its run
    for (const row of this.#rows.values()) {
      const { knob, place } = row.spec;
      const disabled = !allowed || (waits && (this.link?.lost || !row.held));
      const value = this.link?.valueInFrame(knob) ?? this.#value(knob);
      row.show(place === undefined ? value : value[place], disabled);
      row.showAside(this.#pastValue(knob, place), this.link?.isPending(knob) ?? false);
      if (row.offer) this.#showOffer(row, disabled);
      if (knob.startsWith("learning_rate")) row.showFactors(this.#factors());
      row.painted?.show(this.link?.values ?? this.#host.data.knobs.values);
    }
    this.ownRates.input.checked = Boolean(this.#value("learning_rates"));
    this.ownRates.input.disabled = !allowed || waits;
    this.#host.showConnection?.(Boolean(this.link?.lost));
  }

  #factors() {
    return factorWords(this.link?.valueInFrame("rate_factors") ?? this.#value("rate_factors"), this.#host.t);
  }

  /**
   * Return the value that a row's knob had at the displayed past step, as {value, step}, or null if it equals the
   * present value.
   */
  #pastValue(knob, place) {
    const past = this.link?.pastValue(knob) ?? null;
    if (place === undefined || !past) return past?.value === null ? null : past;
    // A network without a learning rate of its own used the shared rate.
    const value = past.value?.[place] ?? this.link.pastValue("learning_rate")?.value ?? this.#value("learning_rate");
    return value === this.#value(knob)[place] ? null : { ...past, value };
  }

  #showOffer(row, disabled) {
    const { offer, spec } = row;
    const offered = this.#offered(spec);
    setText(offer, this.#host.t("knob.try", { value: row.words(offered) }));
    setHidden(offer, disabled || offered === this.#value(spec.knob));
  }

  #showRefusal(knob, refusal) {
    const message = messageText(this.#host.t, refusal);
    for (const row of this.#rows.values()) {
      if (row.spec.knob !== knob) continue;
      row.showError(message);
      if (refusal.phrase?.key !== "knob.unanswered") continue;
      setTimeout(() => row.message.textContent === message && row.showError(""), READING);
    }
  }

  #removeEdges() {
    for (const row of this.#rows.values()) this.#edges?.remove(row);
  }

  #unbind() {
    for (const undo of this.#undo) undo();
    this.#undo = [];
    this.#removeEdges();
  }

  destroy() {
    this.#unfollow();
    this.#unbind();
    this.element.remove();
  }
}
