// The header above the planes: the progress of the map, the links back from a zoom, and the buttons.

import { button, fill, h, pill, setHidden, setText } from "../live/lib/dom.js";
import { count, formatNumber } from "../live/lib/format.js";
import { joinList } from "../live/lib/joining.js";
import { messageText } from "../live/lib/texts.js";

const SOON = 90; // seconds; longer times are given in minutes

export class MapHeader {
  /** @param view {t, data, wanted, want(wanted), question, act(name), send(name, value)} */
  constructor(view) {
    const { t } = view;
    this.view = view;
    this.done = h("b.bnviz-stability-done");
    this.about = h("span.bnviz-stability-about");
    this.bar = h("i");
    this.track = h("div.bnviz-stability-track", { role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 }, this.bar);
    this.stop = control(view, "draw", "head.stop");
    this.present = control(view, "present");
    this.buttons = h("div.bnviz-stability-buttons", this.stop, control(view, "share"), control(view, "export"), this.present);
    this.progress = h("div.bnviz-stability-progress", h("p", this.done, " ", this.about), this.track);
    this.crumbs = h("nav.bnviz-stability-crumbs", { "aria-label": t("head.crumbs") });
    this.words = h("span");
    this.again = pill(t("head.again"), () => view.want(true));
    this.problem = h("p.bnviz-stability-problem", { role: "status" }, this.words, this.again);
    this.element = h("header.bnviz-stability-head",
      this.progress, this.buttons, this.crumbs, this.problem);
  }

  /** Place the parts for the normal page. The presentation view moves some of them elsewhere. */
  arrange() {
    this.progress.append(this.track);
    this.stop.after(this.view.question.button);
    this.element.append(this.crumbs, this.problem);
  }

  /** Handle new page data: list links to the maps from which the reader zoomed to this map. */
  update() {
    const { data, t } = this.view;
    const crumbs = data.crumbs ?? [];
    setHidden(this.crumbs, crumbs.length < 2);
    fill(this.crumbs, crumbs.flatMap(({ label }, i) => [
      i ? h("span", { "aria-hidden": true }, "›") : null,
      i < crumbs.length - 1
        ? button(label, () => this.view.send("back", i), { className: "bnviz-link", "data-crumb": i })
        : h("span", { "aria-current": "location" }, label),
    ]), data.ends ? h("small", t("head.ends")) : null);
  }

  /**
   * @param answer latest response of the feed, or null before the first response
   * @param trouble "offline" if the server does not respond, "gone" if the server does not have the map, otherwise null
   */
  show(answer, trouble) {
    const { t, wanted } = this.view;
    const { status = "waiting", progress = { done: 0, total: 0 } } = answer ?? {};
    const over = ["finished", "failed"].includes(status);
    setText(this.done, count(progress.done));
    const gpu = answer?.gpu;
    setText(this.about, [...progressWords(t, wanted, answer), ...placeWords(t, gpu, this.view.norms)].join(" · "));
    this.about.title = gpu ? t("head.gpu_why", { gpu: gpu.name }) : "";
    setHidden(this.track, over);
    const share = progress.total ? Math.min(1, progress.done / progress.total) : 0;
    this.bar.style.width = `${100 * share}%`;
    this.track.setAttribute("aria-valuenow", String(Math.round(100 * share)));
    this.track.setAttribute("aria-label", t("head.progress"));
    setText(this.stop, t(wanted ? "head.stop" : "head.go_on"));
    setHidden(this.stop, this.view.nothingLeft || Boolean(this.view.data.follows));
    setHidden(this.buttons, Boolean(this.view.data.framed));
    const why = answer?.problem ?? (status === "failed" ? { message: t("problem.failed") } : null);
    const problem = trouble === "gone" ? t("problem.gone") : why ? messageText(t, why) : "";
    setText(this.words, problem);
    setHidden(this.problem, !problem);
    setHidden(this.again, status !== "failed" || trouble !== null);
  }
}

/** Return a button for the action with this name. @param words key of the label's text */
export function control(view, name, words = `head.${name}`) {
  const made = pill(view.t(words), () => view.act(name));
  made.dataset.control = name;
  return made;
}

/**
 * Return the progress of a map as parts of a sentence: first the number of networks done, then the state of the
 * drawing.
 * @param answer latest response of the feed, or null before the first response
 * @param apart whether the first part is shown separately, under the number
 */
export function progressWords(t, wanted, answer, apart = false) {
  const { status = "waiting", progress = { done: 0, total: 0 }, problem } = answer ?? {};
  const { total, seconds_left: left, rate } = progress;
  if (status === "finished") return [t(apart ? "head.networks" : "head.finished")];
  const parts = [t("head.of_about", { total: count(roughly(total)) })];
  if (apart) parts[0] = t("head.of", { total: count(roughly(total)) });
  if (!wanted) parts.push(t("head.stopped"));
  else if (status === "paused") parts.push(t("head.paused"));
  else if (status === "waiting") {
    // If the map is waiting for a free process, the text of the problem says so.
    if (!problem) parts.push(t("head.waiting"));
  } else {
    if (left !== null && left !== undefined) parts.push(left > SOON ? t("head.minutes_left", { minutes: Math.round(left / 60) }) : t("head.seconds_left", { seconds: Math.max(1, Math.round(left)) }));
    if (rate) parts.push(t("head.rate", { rate: formatNumber(rate) }));
  }
  return parts;
}

/**
 * Return text about training on the server's GPU, as a list of at most one part.
 * @param gpu {name, norms: networks that train on it}, or null if the server has no GPU
 * @param norms the map's networks: [{name, label}]
 */
function placeWords(t, gpu, norms) {
  if (!gpu) return [];
  const there = norms.filter(({ name }) => gpu.norms.includes(name));
  const share = !there.length ? "none" : there.length < norms.length ? "some" : "all";
  return [t(`head.gpu_${share}`, { gpu: gpu.name, labels: joinList(there.map(({ label }) => label)) })];
}

/** Round an estimate to two significant digits. */
function roughly(total) {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, total))) - 1);
  return Math.round(total / unit) * unit;
}
