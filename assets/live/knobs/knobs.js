// Live knobs as a set of controls: in the sidebar, beside the transport, wherever a page needs them.

import { button, fill, h, setHidden, setText } from "../lib/dom.js";
import { written } from "../lib/format.js";
import { said } from "../lib/texts.js";
import { KnobSlider } from "./knob_slider.js";
import { paintedNote, paintedTrack } from "./painted_track.js";

/** A place for live knobs. What it shows of a run it hears from the run's link, once it is bound. */
export class Knobs {
  #host;
  #link = null;
  #edges = null;
  #undo = [];
  #rows = new Map(); // id → KnobSlider
  #built = "";

  /**
   * @param host {data: {knobs, norms, labels, can_control, hide}, t}, read anew with each update
   * @param scale whether decades are written under the tracks
   * @param extras whether suggestions and the switch for own rates stand there too
   * @param notes whether what is marked on a track stands under it in words
   */
  constructor(host, { scale = false, extras = true, notes = true } = {}) {
    this.#host = host;
    this.scale = scale;
    this.extras = extras;
    this.notes = notes;
    this.list = h("div", { class: "bnviz-knob-list" });
    this.element = h("div", { class: "bnviz-knobs" }, this.list);
    this.own = this.#ownSwitch();
  }

  /** Follow another run's values, or none's; its live view fills the places for the edges. */
  bind(link, edges = null) {
    this.#release();
    this.#link = link;
    this.#edges = edges;
    this.#undo = link ? [
      link.on("values", () => this.#show()),
      link.on("refused", ({ knob, ...why }) => this.#refused(knob, said(this.#host.t, why))),
    ] : [];
    this.#built = "";
    this.update();
  }

  /** The page has said something new. */
  update() {
    const rows = this.#specs();
    const built = JSON.stringify(rows);
    if (built !== this.#built) this.#build(rows);
    this.#built = built;
    this.#show();
  }

  #value(knob) {
    return this.#link ? this.#link.shown(knob) : this.#host.data.knobs.values[knob];
  }

  /** What each row is: the knobs of this place, and of the rate one a network where each has its own. */
  #specs() {
    const { knobs, norms, labels } = this.#host.data;
    const t = this.#host.t;
    return knobs.shown.flatMap((name) => {
      const spec = { ...knobs.specs[name], id: name, field: name, knob: name };
      if (name !== "learning_rate" || !this.#value("learning_rates")) return [spec];
      return norms.map((norm, place) => ({
        ...spec, id: `rate_${norm}`, field: "learning_rates", knob: "learning_rates", place, norm,
        label: t("knob.rate_of", { network: labels[norm] ?? norm }), home: spec.homes?.[place] ?? spec.home, try: undefined,
      }));
    });
  }

  #build(specs) {
    const { t } = this.#host;
    this.#leavePlaces();
    this.#rows.clear();
    const parts = specs.map((spec) => {
      const hand = {
        gesture: () => this.#link?.gesture() ?? 0,
        set: (value, drag) => this.#set(spec, value, drag),
        released: () => this.#show(),
      };
      const row = new KnobSlider(spec, t, hand, { scale: this.scale, note: this.notes });
      row.spec = spec;
      row.offer = this.extras && spec.try !== undefined ? this.#offer(spec) : null;
      if (row.offer) row.element.append(row.offer);
      row.painted = spec.painted ? [paintedTrack(spec.painted, spec.rungs.length, this.#host.data.colours), paintedNote(spec.painted)] : [];
      row.track.append(...row.painted.slice(0, 1));
      row.track.after(...row.painted.slice(1));
      this.#rows.set(spec.id, row);
      if (spec.edge) this.#edges?.add(row, spec.norm ?? null, spec.rungs);
      return row.element;
    });
    const rates = specs.filter(({ knob }) => knob.startsWith("learning_rate")).length;
    if (rates && this.#mayOwn()) parts.splice(rates, 0, this.own.element);
    fill(this.list, ...parts);
  }

  /** Show what the tracks are painted with, or hide it. */
  paint(shown) {
    for (const { painted } of this.#rows.values()) for (const element of painted) setHidden(element, !shown);
  }

  /** Have the thumbs move by a hair, once: here is something to take hold of. */
  beckon() {
    for (const { range } of this.#rows.values()) range.classList.add("bnviz-beckons");
  }

  /** The value that the preset suggests to try; after that, the way back. */
  #offer(spec) {
    return button("", () => this.#set(spec, this.#offered(spec)), { className: "bnviz-pill bnviz-knob-try" });
  }

  #offered(spec) {
    return this.#value(spec.knob) === spec.try ? spec.home : spec.try;
  }

  #mayOwn() {
    const { data } = this.#host;
    return this.extras && data.norms.length > 1 && !(data.hide ?? []).includes("learning_rates");
  }

  /** Whether each network runs at a rate of its own. */
  #ownSwitch() {
    const { t } = this.#host;
    const input = h("input", { type: "checkbox", role: "switch", onchange: () => {
      const { norms } = this.#host.data;
      const rate = this.#value("learning_rate");
      this.#link?.set("learning_rates", input.checked ? norms.map(() => rate) : null);
    } });
    const element = h("label", { class: "bnviz-knob-own", title: t("knob.own_rates_help") },
      input, h("span", { "aria-hidden": true }), h("span", {}, t("knob.own_rates")));
    return { element, input };
  }

  #set({ knob, place }, value, drag = 0) {
    if (place === undefined) this.#link?.set(knob, value, drag);
    else this.#link?.set(knob, this.#value(knob).with(place, value), drag);
  }

  #show() {
    // Other rates than there are rows for: own ones have come, or gone.
    const own = this.#rows.has("learning_rate") === Boolean(this.#value("learning_rates"));
    const rated = this.#host.data.knobs.shown.includes("learning_rate");
    if (rated && own && this.#built) return this.update();
    const allowed = this.#link?.allowed ?? this.#host.data.can_control;
    const disabled = !this.#link?.connected || !allowed;
    for (const row of this.#rows.values()) {
      const { knob, place } = row.spec;
      const value = this.#link?.onWay(knob) ?? this.#value(knob);
      row.show(place === undefined ? value : value[place], disabled);
      row.showPast(this.#past(knob, place));
      if (row.offer) this.#showOffer(row, disabled);
    }
    this.own.input.checked = Boolean(this.#value("learning_rates"));
    this.own.input.disabled = disabled;
    this.#host.lost?.(Boolean(this.#link?.lost));
  }

  /** What a row's knob was at the step shown; the one of a network that had no rate of its own was the shared one. */
  #past(knob, place) {
    const past = this.#link?.past(knob) ?? null;
    if (place === undefined || !past) return past?.value === null ? null : past;
    const value = past.value?.[place] ?? this.#link.past("learning_rate")?.value ?? this.#value("learning_rate");
    return value === this.#value(knob)[place] ? null : { ...past, value };
  }

  #showOffer({ offer, spec }, disabled) {
    const offered = this.#offered(spec);
    setText(offer, this.#host.t("knob.try", { value: written(offered) }));
    setHidden(offer, disabled || offered === this.#value(spec.knob));
  }

  #refused(knob, message) {
    for (const row of this.#rows.values()) if (row.spec.knob === knob) row.complain(message);
  }

  #leavePlaces() {
    for (const row of this.#rows.values()) this.#edges?.remove(row);
  }

  #release() {
    for (const undo of this.#undo) undo();
    this.#undo = [];
    this.#leavePlaces();
  }

  destroy() {
    this.#release();
    this.element.remove();
  }
}
