// Share: a link to watch this run, a link to an own copy, what the teacher takes away, a QR code.

import { liveQuery } from "../data/address.js";
import { h, setText } from "../lib/dom.js";
import { copyField, dialog } from "./dialog.js";
import { classAddress } from "./share_address.js";
import { ShareCode } from "./share_code.js";
import { previewOf } from "./share_preview.js";

/** Build a page address from a query (text, or names and values) and the choices made. */
export function shareUrl(page, query, { present = false, paused = false, hide = [], run = null, at = null } = {}) {
  const url = new URL(page);
  url.search = new URLSearchParams(query ?? {});
  url.hash = "";
  // How this page itself is shown is no part of a link, unless it was chosen for it.
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
    // The settings travel along, so that the link still opens something when the run has ended.
    const scene = view.scene();
    const watched = { ...choices, paused: false, run: data.run, at: scene?.rewound ? scene.step : null };
    const query = liveQuery(data.query, data.knobs, view.link?.values);
    watch.show(shareUrl(page, query, watched), knownOf(view));
    copy.show(shareUrl(page, query, choices), knownOf(view));
    code.show((coded === "watch" ? watch : copy).get(), t(coded === "watch" ? "share.qr_watch" : "share.qr_copy"));
  };
  address.onchange = show;
  const check = (label, onchange) =>
    h("label", {}, h("input", { type: "checkbox", onchange }), " ", label);
  const flag = (name) => check(t(`share.${name}`), (event) => {
    choices[name] = event.target.checked;
    show();
  });
  const hide = (name) => check(t(`hide.${name}`), (event) => {
    choices.hide = choices.hide.filter((other) => other !== name);
    if (event.target.checked) choices.hide.push(name);
    show();
  });
  const pick = (name) => h("label", {}, h("input", {
    type: "radio", name: `bnviz-qr-${view.id}`, checked: name === coded,
    onchange: () => { coded = name; show(); },
  }), " ", t(`share.code_${name}`));
  show();
  // What a link to the run will do changes as the run goes on.
  const listening = [view.store.on("frame", show), view.store.on("knobs", show)];
  const box = dialog(view, t("share.title"), address.element, watch.element, copy.element,
    h("fieldset", {}, h("legend", {}, t("share.options")), flag("present"), flag("paused")),
    h("details", {}, h("summary", {}, t("share.hide")),
      h("div", { class: "bnviz-checks" }, ...hideable(data).map(hide))),
    h("fieldset", {}, h("legend", {}, t("share.code")), pick("watch"), pick("copy")), code.element,
  );
  box.addEventListener("close", () => listening.forEach((undo) => undo()));
  box.showModal();
}

/** A link with a copy button, and below it what the link will do. */
function linkField(view, name) {
  const field = copyField(view, view.t(`share.${name}`), "");
  const does = h("p", { class: "bnviz-share-does", "data-does": name });
  return {
    element: h("div", {}, field.element, does),
    get: field.get,
    show(link, known) {
      if (field.get() !== link) field.set(link); // else what is selected in it would not stay so
      setText(does, previewOf(link, known, view.t).join(" "));
    },
  };
}

/** What the preview needs to know of the run and of the page's names. */
function knownOf({ data, store, charts, t }) {
  const titles = new Map(charts.extra.map(({ name, title }) => [name, title]));
  return {
    preset: data.preset_label, labels: data.knob_labels ?? {}, step: store.live?.step ?? 0, changes: store.changes,
    chart: (name) => titles.get(name) ?? name.replaceAll("_", " "),
    hidden: (name) => (data.texts.hide?.[name] ? t(`hide.${name}`) : name.replaceAll("_", " ")),
  };
}

/** Names of what `hide` may take away: the page's list, or the words there are for it. */
function hideable(data) {
  return data.hideable ?? Object.keys(data.texts.hide ?? {});
}
