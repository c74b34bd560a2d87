// The widget *Your own verdict*: one of some accounts is chosen, and a reader writes why. None is marked right. The script
// puts both into the address; this browser keeps them, one verdict a lesson, and offers them where the address has none.

import { h, setHidden, setText } from "../live/lib/dom.js";
import { readForGood, storeForGood } from "../live/lib/storage.js";
import { Widget, mountable } from "./lib/widget.js";

const STORED = "bnviz-own-verdicts";
const ROWS = 3; // lines of the text, at first
const NOTHING = { account: null, because: "" };

class OwnVerdict extends Widget {
  #address = null; // the verdict that the address had last, as JSON
  #told = null; // the one that the script is told, as JSON
  #sent = null; // the one that it was told last, as JSON
  #now = NOTHING;
  #inputs = [];

  builtOf({ accounts }) {
    return accounts;
  }

  /** `data`: see bnviz/ui/lesson_widgets.py. */
  draw() {
    const { accounts, lesson, account, because, most } = this.data;
    const given = JSON.stringify({ account, because });
    const first = this.#address === null;
    const moved = given !== this.#address;
    this.#address = given;
    // What the script was told comes back; meanwhile more may have been written.
    if (!moved || given === this.#told) return;
    this.#show({ account, because });
    this.#tell();
    const kept = first && !account && !because ? readKept(lesson, accounts, most) : null;
    if (!kept) return;
    this.#show(kept);
    this.#tell();
  }

  build({ accounts, most, lesson }) {
    const { t } = this;
    setHidden(this.numbers, true); // there are no numbers
    const name = `bnviz-account-${lesson}`;
    this.#inputs = accounts.map(([key]) => h("input", { type: "radio", name, value: key, autocomplete: "off", onchange: () => this.#pick(key) }));
    const options = accounts.map(([, label, line], i) =>
      h("label", this.#inputs[i], h("span", h("b", label), h("small", line))));
    this.text = h("textarea", {
      rows: ROWS, maxlength: most, "aria-label": t("because"), placeholder: t("placeholder"), oninput: () => this.#written(), onchange: () => this.#tell(),
    });
    this.count = h("small.bnviz-own-count");
    this.body.replaceChildren(
      h("fieldset.bnviz-own-accounts", h("legend.bnviz-hidden", t("title")), options),
      h("label.bnviz-own-because", h("span", t("because")), this.text), this.count,
      h("p.bnviz-own-kept", h("small", t("kept"))));
  }

  #show(verdict) {
    this.#now = verdict;
    for (const input of this.#inputs) input.checked = input.value === verdict.account;
    this.text.value = verdict.because;
    this.#countLetters();
  }

  #pick(account) {
    this.#now = { ...this.#now, account };
    this.#keep();
    this.#tell();
  }

  #written() {
    this.#now = { ...this.#now, because: this.text.value };
    this.#countLetters();
    this.#keep();
  }

  #countLetters() {
    setText(this.count, this.t("count", { count: this.text.value.length, most: this.data.most }));
  }

  #keep() {
    const kept = readForGood(STORED);
    const others = kept && typeof kept === "object" && !Array.isArray(kept) ? kept : {};
    storeForGood(STORED, { ...others, [this.data.lesson]: this.#now });
  }

  /** Say what is held, and tell the script. */
  #tell() {
    const { t } = this;
    const { account, because } = this.#now;
    const chosen = this.data.accounts.find(([key]) => key === account);
    this.#told = JSON.stringify({ account, because: because.replace(/\s+/g, " ").trim() });
    this.#sent ??= this.#told; // the drawing of the address
    this.tell(chosen ? t("held", { account: chosen[1] }) : t("none"), null);
  }

  rest(sentence) {
    super.rest(sentence);
    if (this.#sent === this.#told) return;
    this.#sent = this.#told;
    this.tellScript("verdict", JSON.parse(this.#told));
  }
}

/** The verdict that this browser has kept of a lesson, if a page of ours wrote it; else null. */
function readKept(lesson, accounts, most) {
  const { account = null, because = "" } = readForGood(STORED)?.[lesson] ?? NOTHING;
  if (typeof because !== "string" || (account !== null && !accounts.some(([key]) => key === account))) return null;
  return account || because ? { account, because: because.slice(0, most) } : null;
}

export default mountable(OwnVerdict);
