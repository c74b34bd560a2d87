// The gallery: every chart that is not on the page from the start, what it shows and who drew it first.

import { button, h } from "../lib/dom.js";
import { dialog } from "./dialog.js";

export function openGallery(view) {
  const { charts, t } = view;
  const specs = charts.extra;
  let added = null;
  const offer = (spec) => {
    const check = h("input", { type: "checkbox", checked: charts.opened(spec.name), "data-adds": spec.name, onchange: () => {
      charts.toggle(spec.name);
      added = check.checked ? spec.name : added;
    } });
    return h("label", { class: "bnviz-offer" }, check,
      h("b", {}, spec.title), h("span", {}, spec.help), spec.source ? h("small", {}, spec.source) : null);
  };
  const shelves = [...new Set(specs.map(({ shelf }) => shelf))].map((shelf) =>
    h("fieldset", { class: "bnviz-shelf" }, h("legend", {}, t(`gallery.${shelf}`)),
      ...specs.filter((spec) => spec.shelf === shelf).map(offer)));
  const box = dialog(view, t("gallery.title"), h("div", { class: "bnviz-shelves" }, ...shelves),
    h("div", { class: "bnviz-foot" },
      button(t("gallery.done"), () => box.close(), { className: "bnviz-pill bnviz-strong" }),
      h("p", {}, t("gallery.help"))));
  box.classList.add("bnviz-gallery");
  box.addEventListener("close", () => {
    // The button that opened it has been made anew meanwhile; the focus scrolls, so it comes first.
    charts.menu.focus("");
    if (added && charts.opened(added)) charts.reveal(added);
  });
  box.showModal();
  // Not the cross: the first thing a key reaches should be a chart.
  box.querySelector("input")?.focus();
}
