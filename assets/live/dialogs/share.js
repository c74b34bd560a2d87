// Share: a link to watch this run, a link to an own copy, what the teacher takes away, a QR code.

import { liveQuery } from "../data/address.js";
import { h } from "../lib/dom.js";
import { copyField, dialog } from "./dialog.js";

/** Build a page address from a query (text, or names and values) and the choices made. */
export function shareUrl(page, query, { present = false, paused = false, hide = [], run = null } = {}) {
  const url = new URL(page);
  url.search = new URLSearchParams(query ?? {});
  url.hash = "";
  if (present) url.searchParams.set("present", "1");
  if (paused) url.searchParams.set("paused", "1");
  if (run) url.searchParams.set("run", run);
  if (hide.length) url.searchParams.set("hide", hide.join(","));
  return url.href.replaceAll("%2C", ",");
}

export function openShare(view) {
  const { data, t } = view;
  const page = location.origin + location.pathname;
  const choices = { present: false, paused: false, hide: [] };
  const watch = copyField(view, t("share.watch"), "");
  const copy = copyField(view, t("share.copy"), "");
  const code = h("img", { class: "bnviz-qr", width: 180, height: 180 });
  let coded = "watch";
  const show = () => {
    // The settings travel along, so that the link still opens something when the run has ended.
    const watched = { ...choices, paused: false, run: data.run };
    const query = liveQuery(data.query, data.knobs, view.link?.values);
    watch.set(shareUrl(page, query, watched));
    copy.set(shareUrl(page, query, choices));
    const target = coded === "watch" ? watch.get() : copy.get();
    code.src = `${data.base}/qr.svg?data=${encodeURIComponent(target)}`;
    code.alt = t(coded === "watch" ? "share.qr_watch" : "share.qr_copy");
  };
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
  dialog(view, t("share.title"), watch.element, copy.element,
    h("fieldset", {}, h("legend", {}, t("share.options")), flag("present"), flag("paused")),
    h("details", {}, h("summary", {}, t("share.hide")),
      h("div", { class: "bnviz-checks" }, ...hideable(data).map(hide))),
    h("fieldset", {}, h("legend", {}, t("share.code")), pick("watch"), pick("copy")), code,
  ).showModal();
}

/** Names of what `hide` may take away: the page's list, or the words there are for it. */
function hideable(data) {
  return data.hideable ?? Object.keys(data.texts.hide ?? {});
}
