// What was wrong with a link: a list that stays until it is dismissed. Its sentences have field, value and what is
// allowed; the page shows something else instead.

import { button, fill, h } from "./live/lib/dom.js";

const parts = new WeakMap(); // parent element → {told, list}

/**
 * Streamlit calls this at each rerun.
 *
 * @param data see bnviz/ui/link_answers.py
 */
export default function mount({ parentElement, data }) {
  const stamp = JSON.stringify(data.told);
  if (parts.get(parentElement) === stamp) return; // dismissed or not, it is the same link
  parts.set(parentElement, stamp);
  const dismiss = button("×", () => fill(parentElement), { className: "bnviz-icon", aria: data.dismiss });
  fill(parentElement, h("section", { class: "bnviz-answer bnviz-link-answers", role: "alert" },
    h("ul", { "aria-label": data.title }, ...data.told.map((sentence) => h("li", {}, ...withCode(sentence)))), dismiss));
}

/** The parts of a sentence: what stands in `backticks` is code. */
function withCode(sentence) {
  return sentence.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
}
