// The description of a map cell as text, and the card that shows the selected cell.

import { h, setText } from "../live/lib/dom.js";
import { joinList, joinSentences, labelled, stated } from "../live/lib/joining.js";
import { scrolling } from "../live/lib/screen.js";
import { capitalize, lookUp } from "../live/lib/texts.js";

export const CARD = ".st-key-map_card";
const DESK = ".st-key-map_desk"; // container of the map and the card
const GAP = 14; // px between the header and the map; as in map.css
const TITLE = `${CARD} .map-cell`;
const WAIT = 4000; // maximum time in ms for which the Streamlit script may take to draw the new card
const EVERY = 150; // time in ms between two checks for the new card

/** Text that describes a cell: its axis values, and the result of each network in the cell. */
export class CellWords {
  /** @param view {t, data, norms, model, subject: a QuestionedMap} */
  constructor(view) {
    this.view = view;
  }

  /** Return the axis values of a cell as text, such as "learning rate 0.68, batch size 32". */
  place(point) {
    const { model, t } = this.view;
    const value = (axis, column, at) => {
      const row = model.networks.map((network) => network.at(point.i, point.j)).find(Boolean);
      const exact = row?.[column] ?? axis.rungs[at];
      return { label: axis.said, value: axis.write(exact) };
    };
    const [across, up] = [value(model.across, "x", point.i), value(model.up, "y", point.j)];
    return capitalize(t("cell.place", { across: across.label, x: across.value, up: up.label, y: up.value }));
  }

  /** Return the result of each network in a cell as text: [{norm, text}, …]. */
  networks(point) {
    const { model, norms } = this.view;
    return norms.map((norm, network) => {
      const known = model.networks[network].at(point.i, point.j);
      const before = known ? null : model.ghost?.networks[network].at(point.i, point.j);
      return { norm, text: before ? this.#before(before) : this.#figures(known) };
    });
  }

  /**
   * Return the description of a cell as child nodes of the readout.
   * @param point the cell, or null for a hint that explains how to point at a cell
   */
  written(point) {
    if (this.view.subject.covered) return [this.view.t("covered")];
    if (!point) return [h("small", this.view.t("point"))];
    return [h("b", this.place(point)), ...this.networks(point).flatMap(({ norm, text }) => [
      " · ", h("b", { style: { color: norm.ink } }, capitalize(norm.label)), `: ${text}`])];
  }

  /** Return a cell's description as one string for screen readers. */
  sentence(point) {
    return labelled(this.place(point), joinSentences(this.networks(point).map(({ norm, text }) => stated(capitalize(norm.label), text))));
  }

  /** Return the text about the nearest result from an earlier map of the same networks. */
  #before(row) {
    const { t, model } = this.view;
    const { x, y } = row;
    const said = t("cell.near", { said: this.#figures(row), x: model.across.write(x), y: model.up.write(y), i: row.i, j: row.j });
    return t("cell.before", { not_run: t("cell.not_run"), said });
  }

  #figures(row) {
    const { t, data } = this.view;
    if (!row) return t("cell.not_run");
    const accuracy = row.test_accuracy === null ? t("cell.no_accuracy") : t("cell.accuracy", { accuracy: row.test_accuracy });
    const parts = [this.#happened(row), accuracy];
    if (data.seeds > 1) parts.push(t("cell.seeds", { learned: Math.round(row.learned * data.seeds), seeds: data.seeds }));
    if (data.equal === "data") parts.push(t("cell.steps", { steps: row.steps }));
    return t("cell.figures", { what: parts[0], figures: joinList(parts.slice(1)) });
  }

  #happened(row) {
    const { t, data } = this.view;
    if (row.state === "paused") return t("cell.undefined_norm");
    const step = row.break_step;
    if (row.kind === "learned") return t(`cell.${step === null ? "learned" : row.state === "recovered" ? "came_back" : "broke_and_learned"}`, { step });
    if (step === null) return t(row.slow ? "cell.slow" : row.state === "stuck" ? "cell.stuck" : "cell.under");
    const reason = lookUp(data.story, `reason.${row.break_reason}`);
    if (!reason) return t("cell.broke", { step });
    return row.break_layer === null ? t("cell.broke_by", { step, reason }) : t("cell.broke_in", { step, place: this.#layer(row.break_layer), reason });
  }

  /** The name of a layer, such as "layer 2", in the page's language. */
  #layer(name) {
    const { data } = this.view;
    const [, kind, number] = /^(layer|time step|time) (\d+)$/.exec(name) ?? [null, name, null];
    const template = lookUp(data.story, `place.${kind.split(" ")[0]}`);
    return template ? template.replace("{number}", number) : name;
  }
}

/** Card of the selected cell. The Streamlit script draws it beside the map, or below it if there is no room. */
export class CellCard {
  constructor(view) {
    this.view = view;
    this.known = 0; // number of networks of the selected cell whose results the Streamlit script already shows
  }

  /**
   * Set the position of the map's top edge in the style sheet, so that a card beside the map starts at the same height.
   */
  place() {
    const { root, head } = this.view;
    const top = head.element.offsetTop + head.element.offsetHeight - root.offsetTop + GAP;
    root.closest(DESK)?.style.setProperty("--map-top", `${top}px`);
  }

  /** Wait until the page has drawn the new card, then scroll to it. */
  show(until = performance.now() + WAIT, before = document.querySelector(TITLE)?.textContent) {
    const { root, spoken, t } = this.view;
    const card = document.querySelector(CARD);
    if (card && document.querySelector(TITLE)?.textContent !== before) {
      const below = card.getBoundingClientRect().left < this.view.planes.element.getBoundingClientRect().right;
      card.scrollIntoView({ block: below ? "start" : "nearest", behavior: scrolling() });
      setText(spoken, t("opened"));
    } else if (performance.now() < until && root.isConnected) setTimeout(() => this.show(until, before), EVERY);
  }

  /** Notify the Streamlit script if more networks of the selected cell have been measured. */
  update() {
    const { data, model } = this.view;
    const point = data.chosen && model.nearest(data.chosen.x, data.chosen.y);
    if (!point) return;
    const rows = model.networks.map((network) => network.at(point.i, point.j));
    const known = rows.filter((row) => row && row.x === data.chosen.x && row.y === data.chosen.y).length;
    if (known <= this.known) return;
    this.known = known;
    this.view.send("known", known);
  }
}
