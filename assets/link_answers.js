// A list of the problems found in a link. It stays until the reader dismisses it, even if the presentation view reloads
// the page. Each sentence names the field, the value and the allowed values.

import { button, differsAt, fill, h } from "./live/lib/dom.js";
import { readFromTab, storeInTab } from "./live/lib/storage.js";

// Storage key of {told: sentences, link: name of the link, at: id of the run, dismissed: whether the list was
// dismissed}
const KEPT = "bnviz-link-answers";

/**
 * Draw the list. Streamlit calls this at each rerun.
 * @param data see bnviz/ui/html.py
 */
export default function mount({ parentElement, data }) {
  let kept = readFromTab(KEPT);
  if (data.told.length && kept?.link !== data.link) kept = { told: data.told, link: data.link, dismissed: false };
  else if (!data.told.length && kept?.at !== data.at) kept = null;
  storeInTab(KEPT, kept && { ...kept, at: data.at });
  draw(parentElement, kept && !kept.dismissed ? kept.told : [], data);
}

function draw(parent, told, { title, dismiss }) {
  if (!differsAt(parent, told)) return;
  parent.closest(".st-key-link")?.toggleAttribute("data-told", told.length > 0);
  if (!told.length) return fill(parent);
  const close = () => {
    storeInTab(KEPT, { ...readFromTab(KEPT), dismissed: true });
    draw(parent, [], {});
  };
  fill(parent, h("section.bnviz-answer.bnviz-link-answers", { role: "alert" },
    h("div", h("b", title), h("ul", { tabindex: 0, "aria-label": title }, told.map((sentence) => h("li", withCode(sentence))))),
    button("×", close, { className: "bnviz-icon", aria: dismiss })));
}

/** Split a sentence at its backticks, and return its parts with the `quoted` parts as code elements. */
function withCode(sentence) {
  return sentence.split("`").map((part, i) => (i % 2 ? h("code", part) : part));
}
