// The widget *Your own verdict*. A reader chooses one of several accounts of a result and writes down the reasons. No
// account is marked as right. The Streamlit script puts the choice and the reasons into the page's address. This
// browser also stores one verdict per lesson, and shows it if the address does not contain a verdict.

import { h, setHidden, setText } from "../live/lib/dom.js";
import { readForGood, storeForGood } from "../live/lib/storage.js";
import { Widget, mountable } from "./lib/widget.js";

const STORED = "bnviz-own-verdicts";
const ROWS = 3; // initial number of lines of the text field
const NOTHING = { account: null, because: "" };

class OwnVerdict extends Widget {
  #address = null; // the verdict that the address last contained, as JSON
  #told = null; // the current verdict, as JSON, which the script is to receive
  #sent = null; // the verdict that was last sent to the script, as JSON
  #now = NOTHING;
  #inputs = [];

  builtOf({ accounts }) {
    return accounts;
  }

  /** Draw the widget. For `data` see bnviz/ui/lesson_widgets.py. */
  draw() {
    const { accounts, lesson, account, because, most } = this.data;
    const given = JSON.stringify({ account, because });
    const first = this.#address === null;
    const moved = given !== this.#address;
    this.#address = given;
    // The address contains the verdict that was last sent, but the reader may have written more since.
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

  /** Name the chosen account in the sentence, and record the verdict that will be sent to the script. */
  #tell() {
    const { t } = this;
    const { account, because } = this.#now;
    const chosen = this.data.accounts.find(([key]) => key === account);
    this.#told = JSON.stringify({ account, because: because.replace(/\s+/g, " ").trim() });
    this.#sent ??= this.#told; // the first verdict comes from the address, so the script already has it
    this.tell(chosen ? t("held", { account: chosen[1] }) : t("none"), null);
  }

  rest(sentence) {
    super.rest(sentence);
    if (this.#sent === this.#told) return;
    this.#sent = this.#told;
    this.tellScript("verdict", JSON.parse(this.#told));
  }
}

/** Return the verdict that this browser has stored for a lesson, or null if there is no valid one. */
function readKept(lesson, accounts, most) {
  const { account = null, because = "" } = readForGood(STORED)?.[lesson] ?? NOTHING;
  if (typeof because !== "string" || (account !== null && !accounts.some(([key]) => key === account))) return null;
  return account || because ? { account, because: because.slice(0, most) } : null;
}

export default mountable(OwnVerdict);
