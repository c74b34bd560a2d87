// Gallery of the charts that can be added to the page, each with a picture, a description and the source in which it
// was first published.

import { h, pill } from "../lib/dom.js";
import { dialog } from "./dialog.js";

/** Return the URL of a chart's picture. The picture is a screenshot of a real run made by `make thumbnails`. */
function pictureOf(name) {
  return new URL(`../../chart_pictures/${name}.png`, import.meta.url).href;
}

/** Open the gallery. When it closes, the page scrolls to the chart that was added last. */
export function openGallery(view) {
  const { charts, t } = view;
  const { choice } = charts;
  const specs = choice.extra;
  let added = null;
  const offer = (spec) => {
    const told = `bnviz-offer-${view.id}-${spec.name}`;
    const check = h("input", { type: "checkbox", "aria-label": spec.title, "aria-describedby": told, checked: choice.opened(spec.name), "data-adds": spec.name, onchange: () => {
      charts.toggle(spec.name);
      added = check.checked ? spec.name : added;
    } });
    return h("label.bnviz-offer", check,
      h("img", { src: pictureOf(spec.name), alt: spec.title, loading: "lazy", width: 120, height: 90 }),
      h("b", spec.title), h("div", { id: told }, h("span", spec.help), spec.source ? h("small", spec.source) : null));
  };
  const shelves = [...new Set(specs.map(({ shelf }) => shelf))].map((shelf) =>
    h("fieldset.bnviz-shelf", h("legend", t(`gallery.${shelf}`)),
      specs.filter((spec) => spec.shelf === shelf).map(offer)));
  const box = dialog(view, t("gallery.title"), h("div.bnviz-shelves", shelves),
    h("div.bnviz-foot",
      pill(t("gallery.done"), () => box.close(), { className: "bnviz-strong" }),
      h("p", t("gallery.help"))));
  box.classList.add("bnviz-gallery");
  box.addEventListener("close", () => {
    // The button that opened the gallery has been replaced, so focus its replacement. Do this before `reveal`, because
    // focusing scrolls the page.
    charts.menu.focus("");
    if (added && choice.opened(added)) charts.reveal(added);
  });
  // Focus the first chart, not the × of the dialog.
  box.querySelector("input")?.focus();
}
