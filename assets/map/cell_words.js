// A cell in words: its place, and what became of every network there.

import { h } from "../live/lib/dom.js";
import { capitalize, lookUp } from "../live/lib/texts.js";
import { FINEST } from "./axis.js";
import { ACCURACY, BREAK_LAYER, BREAK_STEP, I, J, KIND, REASON, SHARE, STATE, STEPS, X, Y } from "./columns.js";

export class CellWords {
  /** @param view {t, data, model} */
  constructor(view) {
    this.view = view;
  }

  /** "learning rate 0.68, batch size 32". */
  place(point) {
    const { model, t } = this.view;
    const value = (axis, column, at) => {
      const row = model.networks.map((network) => network.at(point.i, point.j)).find(Boolean);
      const exact = row?.[column] ?? (at % FINEST ? axis.value(at) : axis.rungs[at / FINEST]);
      return { label: axis.label, value: axis.write(exact) };
    };
    const [across, up] = [value(model.across, X, point.i), value(model.up, Y, point.j)];
    return capitalize(t("cell.place", { across: across.label, x: across.value, up: up.label, y: up.value }));
  }

  /** [{norm, text}, …]: each network's figures. */
  networks(point) {
    const { model, data } = this.view;
    return data.norms.map((norm, network) => {
      const raster = model.networks[network];
      const own = raster.at(point.i, point.j);
      const known = own ?? raster.over(point.i, point.j);
      const before = known ? null : model.ghost?.networks[network].over(point.i, point.j);
      return { norm, text: before ? this.#before(before) : this.#figures(known, !own) };
    });
  }

  /** All of it as it stands on the page; what to do where there is no cell. */
  written(point) {
    if (this.view.about.covered) return [this.view.t("covered")];
    if (!point) return [h("small", {}, this.view.t("point"))];
    return [h("b", {}, this.place(point)), ...this.networks(point).flatMap(({ norm, text }) => [
      " · ", h("b", { style: { color: norm.ink } }, capitalize(norm.label)), `: ${text}`])];
  }

  /** All of it as one sentence, for a reader's voice. */
  sentence(point) {
    return `${this.place(point)}. ${this.networks(point).map(({ norm, text }) => `${capitalize(norm.label)}: ${text}.`).join(" ")}`;
  }

  /** What another map of the same networks has measured there. */
  #before(row) {
    const { t } = this.view;
    return t("cell.before", { not_run: t("cell.not_run"), said: this.#figures(row, true) });
  }

  #figures(row, near) {
    const { t, data, model } = this.view;
    if (!row) return t("cell.not_run");
    const accuracy = row[ACCURACY] === null ? t("cell.no_accuracy") : t("cell.accuracy", { accuracy: row[ACCURACY] });
    const parts = [this.#happened(row), accuracy];
    if (data.seeds > 1) parts.push(t("cell.seeds", { learned: Math.round(row[SHARE] * data.seeds), seeds: data.seeds }));
    if (data.equal === "data") parts.push(t("cell.steps", { steps: row[STEPS] }));
    const said = t("cell.figures", { what: parts[0], figures: parts.slice(1).join(", ") });
    if (!near) return said;
    return t("cell.near", { said, x: model.across.write(row[X]), y: model.up.write(row[Y]), i: row[I], j: row[J] });
  }

  #happened(row) {
    const { t, data } = this.view;
    if (row[STATE] === "paused") return t("cell.paused");
    const step = row[BREAK_STEP];
    if (row[KIND] === "learned") return t(`cell.${step === null ? "learned" : row[STATE] === "recovered" ? "came_back" : "broke_and_learned"}`, { step });
    if (step === null) return t(row[STATE] === "stuck" ? "cell.stuck" : "cell.under");
    const reason = lookUp(data.story, `reason.${row[REASON]}`);
    if (!reason) return t("cell.broke", { step });
    return row[BREAK_LAYER] === null ? t("cell.broke_by", { step, reason }) : t("cell.broke_in", { step, place: this.#layer(row[BREAK_LAYER]), reason });
  }

  /** "layer 2" in the page's words. */
  #layer(name) {
    const { data } = this.view;
    const [, kind, number] = /^(layer|time step|time) (\d+)$/.exec(name) ?? [null, name, null];
    const template = lookUp(data.story, `place.${kind.split(" ")[0]}`);
    return template ? template.replace("{number}", number) : name;
  }
}
