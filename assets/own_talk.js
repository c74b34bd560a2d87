// Input for a reader's own talk: a selected or dropped file, pasted text, or a link that contains the talk after "#".
// The Streamlit script checks the text. This browser stores the most recent talks.

import { button, fill, h, pill, setText } from "./live/lib/dom.js";
import { mountOnce } from "./live/lib/mounting.js";
import { readForGood, storeForGood } from "./live/lib/storage.js";
import { translator } from "./live/lib/texts.js";

const STORED = "bnviz-own-talks"; // storage key of the recent talks, [{title, text}, …], the newest first
const MOST_STORED = 5;
const IN_LINK = /^#talk=([A-Za-z0-9_-]+)$/;

/** Entry point for Streamlit. For `data` see bnviz/ui/talks_page.py. The script receives {text} or {packed}. */
export default mountOnce(({ parentElement, data }) => new OwnTalk(parentElement, translator(data.texts)));

class OwnTalk {
  #t;
  #give = () => {};
  #most = Infinity; // bytes
  #link = null;
  #example = ""; // text of an example talk that the reader can edit
  #onHash = () => this.#fromLink();

  constructor(parent, t) {
    this.#t = t;
    this.file = h("input.bnviz-unseen", { type: "file", accept: ".toml,text/plain", tabindex: -1, "aria-hidden": "true", onchange: () => this.#fromFile(this.file.files[0]) });
    this.text = h("textarea", { rows: 5, spellcheck: "false", "aria-label": t("paste"), placeholder: t("paste") });
    this.status = h("small", { role: "status" });
    this.copy = pill(t("copy_link"), () => this.#copyLink(), { title: t("copy_link_help") });
    this.example = button(t("example"), () => this.#begin(), { className: "bnviz-link", title: t("example_help") });
    this.before = h("p.bnviz-talks-before");
    this.root = h("div.bnviz-drop",
      h("p", pill(t("choose"), () => this.file.click()), " ", t("drop"), this.file),
      this.text, h("p.bnviz-pills", pill(t("open"), () => this.#hand(this.text.value), { className: "bnviz-filled" }), this.copy, this.example, this.status));
    this.#listen();
    fill(parent, this.root, this.before);
    addEventListener("hashchange", this.#onHash);
  }

  #listen() {
    const { root: drop } = this;
    const over = (yes) => (event) => {
      if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
      event.preventDefault();
      drop.toggleAttribute("data-over", yes);
    };
    drop.addEventListener("dragover", over(true));
    drop.addEventListener("dragleave", over(false));
    drop.addEventListener("drop", (event) => {
      over(false)(event);
      if (event.dataTransfer.files[0]) this.#fromFile(event.dataTransfer.files[0]);
    });
  }

  update({ data: { text, title, link, most, example }, setTriggerValue }) {
    this.#example = example;
    this.#give = (given) => setTriggerValue("given", given);
    this.#most = most;
    this.#link = link;
    this.copy.hidden = !link;
    if (text) {
      this.text.value ||= text;
      const others = stored().filter((one) => one.text !== text);
      storeForGood(STORED, [{ title, text }, ...others].slice(0, MOST_STORED));
    }
    const kept = stored();
    fill(this.before, (kept.length ? [this.#t("before"), " ", ...kept.flatMap((one) => [
      pill(one.title, () => this.#hand(one.text)), " "])] : []));
    this.#fromLink();
  }

  /** Put the text of the example into the field, so that the reader can edit it. */
  #begin() {
    this.text.value = this.#example;
    this.text.scrollTop = 0;
    this.text.focus();
    this.text.setSelectionRange(0, 0);
    setText(this.status, "");
  }

  /** Open the talk that the page's address contains, and remove it from the address. */
  #fromLink() {
    if (!location.hash.startsWith("#talk")) return;
    const packed = IN_LINK.exec(location.hash)?.[1] ?? "";
    history.replaceState(history.state, "", location.pathname + location.search);
    this.text.value = "";
    this.#give({ packed });
  }

  async #fromFile(file) {
    if (!file) return;
    if (file.size > this.#most) return setText(this.status, this.#t("too_large", { most: this.#most }));
    const text = decoded(await file.arrayBuffer());
    this.file.value = "";
    if (text === null) return setText(this.status, this.#t("not_utf_8"));
    this.text.value = text;
    this.#hand(this.text.value);
  }

  #hand(text) {
    if (!text.trim()) return setText(this.status, this.#t("nothing"));
    if (new Blob([text]).size > this.#most) return setText(this.status, this.#t("too_large", { most: this.#most }));
    setText(this.status, "");
    this.text.value = text;
    this.#give({ text });
  }

  async #copyLink() {
    const link = new URL(this.#link, location.origin).href;
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      // Over plain HTTP, browsers do not offer the clipboard API, so copy the selected text with the older browser
      // command.
      const field = this.root.appendChild(h("textarea.bnviz-unseen", link));
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    setText(this.status, this.#t("copied", { size: link.length }));
  }

  end() {
    removeEventListener("hashchange", this.#onHash);
  }
}

/** Return the talks stored in this browser. Stored values that are not valid are ignored. */
function stored() {
  const kept = readForGood(STORED);
  return Array.isArray(kept) ? kept.filter((one) => typeof one?.title === "string" && typeof one.text === "string") : [];
}

/** Decode a file that is in UTF-8, or in UTF-16 with a byte order mark. Return null if it is in neither encoding. */
function decoded(content) {
  const [first, second] = new Uint8Array(content, 0, Math.min(2, content.byteLength));
  const mark = `${first} ${second}`;
  const coding = { "254 255": "utf-16be", "255 254": "utf-16le" }[mark] ?? "utf-8";
  try {
    return new TextDecoder(coding, { fatal: true }).decode(content);
  } catch {
    return null;
  }
}
