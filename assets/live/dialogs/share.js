// Dialog for sharing a run: a link to watch the run, a link to a copy of it, options that hide controls, and a QR code.
// Below each link, sentences describe what the link does.

import { links } from "../../contract.js";
import { liveQuery } from "../data/address.js";
import { checkbox, h, pill, radios, setHidden, setText } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { joinClauses, joinList, joinSentences } from "../lib/joining.js";
import { changeWords, knobWords, withoutPaths } from "../lib/live_actions.js";
import { copyField, dialog } from "./dialog.js";

const MOST_NAMED = 3; // maximum number of live changes named in the description of a link
const NO_CHARTS = "none"; // value of the parameter if no charts are added, as in bnviz/ui/lab_query.py

/**
 * Return the URL that is shared.
 *
 * @param query parameters of the page: text, or names and values
 * @param choices {present: whether to open the presentation view, paused: whether to start with a question, hide: names
 * of hidden controls, run: the run to watch, or null for a copy, at: step, or null for the newest step}
 */
export function shareUrl(page, query, { present = false, paused = false, hide = [], run = null, at = null } = {}) {
  const url = new URL(page);
  url.search = new URLSearchParams(query ?? {});
  url.hash = "";
  // The link does not take over the mode of this page. It has a mode only if the reader chooses the mode for the link.
  for (const [name, chosen] of Object.entries({ present, paused })) {
    if (chosen) url.searchParams.set(name, "1");
    else url.searchParams.delete(name);
  }
  if (run) url.searchParams.set("run", run);
  if (at !== null) url.searchParams.set("at", at);
  if (hide.length) url.searchParams.set("hide", hide.join(","));
  return url.href.replaceAll("%2C", ",");
}

export function openShare(view) {
  const { data, t } = view;
  const address = classAddress(data.class_address ?? null, t);
  const choices = { present: false, paused: false, hide: [] };
  const watch = linkField(view, "watch");
  const copy = linkField(view, "copy");
  const code = new ShareCode(view);
  let coded = "watch";
  const show = () => {
    const page = address.origin + location.pathname;
    // A link to watch the run also contains the run's settings. Once the run has ended, the link opens a new run with
    // these settings.
    const scene = view.scene();
    const watched = { ...choices, paused: false, run: data.run, at: scene?.rewound ? scene.step : null };
    const query = liveQuery(data.query, data.knobs, view.link?.values);
    watch.show(shareUrl(page, query, watched), previewNames(view));
    copy.show(shareUrl(page, query, choices), previewNames(view));
    code.show((coded === "watch" ? watch : copy).get(), t(coded === "watch" ? "share.qr_watch" : "share.qr_copy"));
  };
  address.onchange = show;
  const flag = (name) => checkbox(t(`share.${name}`), (ticked) => {
    choices[name] = ticked;
    show();
  });
  const hide = (name) => checkbox(t(`hide.${name}`), (ticked) => {
    choices.hide = ticked ? [...choices.hide, name] : choices.hide.filter((other) => other !== name);
    show();
  });
  const codes = radios(`bnviz-qr-${view.id}`, ["watch", "copy"].map((name) => [name, t(`share.code_${name}`)]), coded, (name) => {
    coded = name;
    show();
  });
  show();
  // The link changes while the run continues, so update it.
  const listening = [view.store.on("frame", show), view.store.on("knobs", show)];
  const box = dialog(view, t("share.title"), address.element, watch, copy,
    h("fieldset", h("legend", t("share.options")), flag("present"), flag("paused")),
    h("details", h("summary", t("share.hide")),
      h("div.bnviz-checks", Object.keys(data.texts.hide).map(hide))),
    h("fieldset", h("legend", t("share.code")), codes), code,
  );
  box.addEventListener("close", () => listening.forEach((undo) => undo()));
}

/** Create a field with a link, a copy button, and a description below the field. */
function linkField(view, name) {
  const field = copyField(view, view.t(`share.${name}`), "");
  const does = h("p.bnviz-share-does", { "data-does": name });
  return {
    element: h("div", field, does),
    get: field.get,
    show(link, known) {
      // because writing an unchanged link would remove the reader's selection
      if (field.get() !== link) field.set(link);
      setText(does, joinSentences(previewOf(link, known, view.t)));
    },
  };
}

/** Collect the names and values that `previewOf` needs. */
function previewNames({ data, store, charts, t }) {
  const titles = new Map(charts.choice.extra.map(({ name, title }) => [name, title]));
  return {
    preset: data.preset_label, labels: data.knob_labels, step: store.live?.step ?? 0, changes: store.changes,
    chart: (name) => titles.get(name) ?? name.replaceAll("_", " "),
    hidden: (name) => (data.texts.hide?.[name] ? t(`hide.${name}`) : name.replaceAll("_", " ")),
  };
}

/**
 * Find the address at which other computers reach this page. If the page was opened as localhost, use the computer's
 * network address, provided that the server accepts connections there.
 *
 * @param here {hosts, listens, command} from bnviz/ui, or null if the present address also works on other computers
 * @returns {origin: start of the links, element: a note for the reader or null, onchange: called after the reader has
 * chosen another host}
 */
export function classAddress(here, t, place = location) {
  const address = { origin: place.origin, element: null, onchange: () => {} };
  if (!here) return address;
  const say = (key, values) => t(`sharing.here.${key}`, values);
  const at = (host) => Object.assign(new URL(place.origin), { hostname: host }).origin;
  const [host] = here.hosts;
  if (host && here.listens) {
    address.origin = at(host);
    address.element = h("div.bnviz-share-here", h("p", say("instead", { name: place.hostname, host })),
      here.hosts.length > 1 ? chooser(here.hosts, say, (chosen) => {
        address.origin = at(chosen);
        address.onchange();
      }) : null);
    return address;
  }
  address.element = h("div.bnviz-share-here", { role: "note" },
    h("p", h("strong", say("only", { name: place.hostname }))),
    h("p", say("serve"), " ", h("code", here.command), " ",
      host ? say("then", { address: at(host) + place.pathname }) : say("no_network")));
  return address;
}

function chooser(hosts, say, onchange) {
  return h("label", say("choose"), " ",
    h("select", { onchange: (event) => onchange(event.target.value) }, hosts.map((host) => h("option", host))));
}

/**
 * Describe in sentences what a link does. The sentences are derived from the link itself, so they always agree with it.
 *
 * @param link complete URL
 * @param known {preset: name of the preset, labels: names of the knobs, chart(key) and hidden(key): functions that
 * return the name of a chart or a control, step: the newest step, changes: [{step, values, drag}]}
 * @param t translator
 */
export function previewOf(link, known, t) {
  const query = new URL(link).searchParams;
  const say = (key, values) => t(`sharing.${key}`, values);
  const watched = query.has("run");
  const settings = settingsOf(query, known, say);
  const lines = watched
    ? [query.has("at") ? say("watch_at", { step: count(query.get("at")) }) : say("watch_does", { step: count(known.step) }), say("watch_ended", { settings })]
    : [say("copy_does", { settings }), logOf(known, say, t)];
  if (query.get("claim")) lines.push(say("claim"));
  if (query.get("charts") === NO_CHARTS) lines.push(say("no_charts"));
  else if (query.get("charts")) lines.push(say("charts", { names: named(query.get("charts"), known.chart) }));
  if (query.get("present") === "1") lines.push(say("large"));
  if (query.get("paused") === "1") lines.push(say("paused"));
  if (query.get("hide")) lines.push(say("without", { names: named(query.get("hide"), known.hidden) }));
  return lines;
}

/** Describe the preset, and the knobs whose values in the link differ from the preset's values. */
function settingsOf(query, { preset, labels }, say) {
  const knobs = [...query].filter(([name]) => name in labels).map(([name, value]) => knobWords(labels, name, value));
  return knobs.length ? say("settings_with", { preset, knobs: joinList(knobs) }) : say("settings", { preset });
}

/** Describe the live changes, which a copy of the run does not repeat. For a drag, give only the last value. */
function logOf({ changes, labels }, say, t) {
  const made = withoutPaths(changes);
  if (!made.length) return say("no_log");
  const first = joinClauses(made.slice(0, MOST_NAMED).map(({ step, values }) => (
    say("change", { step: count(step), knobs: changeWords(values, labels, t) }))));
  const more = made.length - MOST_NAMED;
  return say("log", { changes: more > 0 ? say("log_more", { changes: first, count: more }) : first });
}

function named(text, name) {
  return joinList(text.split(",").map(name));
}

/** QR code of a link, with a button that shows the code on the whole screen. */
export class ShareCode {
  #view;
  #link = "";

  constructor(view) {
    this.#view = view;
    const { t } = view;
    this.image = h("img.bnviz-qr", { width: 180, height: 180 });
    this.problem = h("p", { role: "status", hidden: true }, t("sharing.long"));
    this.full = pill(t("sharing.full"), () => openFull(view, this.#link, this.image), { "data-control": "qr_full" });
    this.element = h("div.bnviz-share-code", this.image, this.problem, this.full);
  }

  show(link, alt) {
    this.#link = link;
    this.image.alt = alt;
    const fits = link.length <= links.most_qr_characters;
    setHidden(this.image, !fits);
    setHidden(this.problem, fits);
    this.full.disabled = !fits;
    const source = `${this.#view.data.base}/qr.svg?data=${encodeURIComponent(link)}`;
    if (fits && this.image.getAttribute("src") !== source) this.image.src = source;
  }
}

/**
 * Show the code on the whole screen, with the link below it, so that people in the last row of a lecture hall can scan
 * the code. Esc, a click or × closes the dialog.
 */
function openFull(view, link, { src, alt }) {
  const box = dialog(view, view.t("sharing.full_title"), h("img.bnviz-qr", { src, alt }), h("p"));
  setText(box.lastElementChild, link.replace(/^https?:\/\//, ""));
  box.classList.add("bnviz-share-full");
  box.addEventListener("close", () => document.fullscreenElement === box && document.exitFullscreen());
  box.querySelector("img").addEventListener("click", () => box.close());
  box.requestFullscreen?.().catch(() => {}); // if the browser refuses, the dialog in the window is large enough
  box.addEventListener("fullscreenchange", () => document.fullscreenElement || box.close());
}
