// The language menu, which lists each language by its own name. When a reader chooses a language, the current address
// is loaded again, so that all texts change at once.

import { fill, h } from "./live/lib/dom.js";
import { labelled } from "./live/lib/joining.js";

/**
 * Draw the menu. Streamlit calls this at each rerun.
 *
 * @param data see bnviz/ui/language.py
 */
export default function mount({ parentElement, data }) {
  document.documentElement.lang = data.language;
  const links = Object.entries(data.languages).map(([code, name]) => h("a", {
    href: address(code), lang: code, hreflang: code, "aria-current": code === data.language ? "true" : null,
    onclick: (event) => {
      // The address may have changed since the menu was drawn, so compute the link again.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      location.assign(address(code));
    },
  }, name));
  const here = data.languages[data.language] ?? data.language;
  fill(parentElement, h("details.bnviz-languages",
    h("summary", { "aria-label": labelled(data.label, here) }, here), h("div", links)));
}

function address(code) {
  const here = new URL(location.href);
  here.searchParams.set("lang", code);
  return here.href.replaceAll("%2C", ",");
}
