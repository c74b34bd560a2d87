// What was wrong with a link: a list that stays until it is dismissed, also when the page is loaded again, as for the
// stage. Its sentences have field, value and what is allowed; the page shows something else instead.

import { button, fill, h } from "./live/lib/dom.js";
import { readFromTab, storeInTab } from "./live/lib/storage.js";

const KEPT = "bnviz-link-answers"; // {told, link, at: what the page shows, dismissed}
const drawn = new WeakMap(); // parent element → the sentences that it has, as JSON

/**
 * Streamlit calls this at each rerun.
 *
 * @param data see bnviz/ui/link_answers.py
 */
export default function mount({ parentElement, data }) {
  let kept = readFromTab(KEPT);
  if (data.told.length && kept?.link !== data.link) kept = { told: data.told, link: data.link, dismissed: false };
  else if (!data.told.length && kept?.at !== data.at) kept = null;
  storeInTab(KEPT, kept && { ...kept, at: data.at });
  draw(parentElement, kept && !kept.dismissed ? kept.told : [], data);
}

function draw(parent, told, { title, dismiss }) {
  const stamp = JSON.stringify(told);
  if (drawn.get(parent) === stamp) return;
  drawn.set(parent, stamp);
  parent.closest(".st-key-link")?.toggleAttribute("data-told", told.length > 0);
  if (!told.length) return fill(parent);
  const close = () => {
    storeInTab(KEPT, { ...readFromTab(KEPT), dismissed: true });
    draw(parent, [], {});
  };
  fill(parent, h("section", { class: "bnviz-answer bnviz-link-answers", role: "alert" },
    h("div", {}, h("b", {}, title), h("ul", { tabindex: 0, "aria-label": title }, ...told.map((sentence) => h("li", {}, ...withCode(sentence))))),
    button("×", close, { className: "bnviz-icon", aria: dismiss })));
}

/** The parts of a sentence: what stands in `backticks` is code. */
function withCode(sentence) {
  return sentence.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
}
