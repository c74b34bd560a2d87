// The gallery: every chart that is not on the page from the start, what it shows and who drew it first.

import { dialog } from "./dialog.js";
import { button, h } from "../lib/dom.js";

/**
 * Open the gallery.
 *
 * @param view the live view
 * @param specs the charts to choose from
 * @param shown whether a chart is on the page; @param toggle called with a name to add or remove it
 */
export function openGallery(view, specs, shown, toggle) {
  const { t } = view;
  let added = null;
  const offer = (spec) => {
    const check = h("input", { type: "checkbox", checked: shown(spec.name), "data-adds": spec.name, onchange: () => {
      toggle(spec.name);
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
    view.charts.menu.focus("");
    if (added && shown(added)) view.charts.reveal(added);
  });
  box.showModal();
  // Not the cross: the first thing a key reaches should be a chart.
  box.querySelector("input")?.focus();
}
