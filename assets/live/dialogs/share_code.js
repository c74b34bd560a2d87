// The QR code of a link: small in the dialog, and on the whole screen for the last row.

import { button, h, setHidden, setText } from "../lib/dom.js";
import { dialog } from "./dialog.js";

const MOST = 1000; // characters, as in bnviz/live/web/share_routes.py

/** Shows the code of a link, with a button that makes it as large as the window. */
export class ShareCode {
  #view;
  #link = "";

  constructor(view) {
    this.#view = view;
    const { t } = view;
    this.image = h("img", { class: "bnviz-qr", width: 180, height: 180 });
    this.problem = h("p", { role: "status", hidden: true }, t("sharing.long"));
    this.full = button(t("sharing.full"), () => openFull(view, this.#link, this.image), { className: "bnviz-pill" });
    this.full.dataset.control = "qr_full";
    this.element = h("div", { class: "bnviz-share-code" }, this.image, this.problem, this.full);
  }

  show(link, alt) {
    this.#link = link;
    this.image.alt = alt;
    const fits = link.length <= MOST;
    setHidden(this.image, !fits);
    setHidden(this.problem, fits);
    this.full.disabled = !fits;
    const source = `${this.#view.data.base}/qr.svg?data=${encodeURIComponent(link)}`;
    if (fits && this.image.getAttribute("src") !== source) this.image.src = source;
  }
}

/** The code as large as the screen, the link below it; Esc, a click or the cross closes it. */
function openFull(view, link, { src, alt }) {
  const box = dialog(view, view.t("sharing.full_title"), h("img", { class: "bnviz-qr", src, alt }), h("p", {}));
  setText(box.lastElementChild, link.replace(/^https?:\/\//, ""));
  box.classList.add("bnviz-share-full");
  box.addEventListener("close", () => document.fullscreenElement === box && document.exitFullscreen());
  box.querySelector("img").addEventListener("click", () => box.close());
  box.showModal();
  box.requestFullscreen?.().catch(() => {}); // the window is large enough where the browser refuses
  box.addEventListener("fullscreenchange", () => document.fullscreenElement || box.close());
}
