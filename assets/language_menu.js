// Entry of the language menu: the page's languages, each in its own words. Choosing one loads the
// page anew, at the address that the browser has by then, so that every word changes at once.

import { fill, h } from "./live/lib/dom.js";

/**
 * @param parentElement where to draw
 * @param data see bnviz/ui/language.py
 */
export default function mount({ parentElement, data }) {
  document.documentElement.lang = data.language;
  const links = Object.entries(data.languages).map(([code, name]) => h("a", {
    href: address(code), lang: code, hreflang: code, "aria-current": code === data.language ? "true" : null,
    onclick: (event) => {
      // Settings may have moved since this was drawn: a plain click goes by the present address.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      location.assign(address(code));
    },
  }, name));
  const here = data.languages[data.language] ?? data.language;
  fill(parentElement, h("details", { class: "bnviz-languages" },
    h("summary", { "aria-label": `${data.label}: ${here}` }, here), h("div", {}, ...links)));
}

function address(code) {
  const here = new URL(location.href);
  here.searchParams.set("lang", code);
  return here.href.replaceAll("%2C", ",");
}
