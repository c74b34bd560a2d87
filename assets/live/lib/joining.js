// How the page's language joins words and counts: bnviz/words/joining.py does the same. A component's data has the
// patterns of `assets/texts/<language>/language.toml`, where they are not the English ones.

const ENGLISH = {
  sentences: " ", list: ", ", clauses: "; ", range: "{first}–{last}", quoted: "“{text}”", bracketed: "{text} ({aside})", labelled: "{label}: {content}", stated: "{label}: {state}.", percent: "{number}\u00a0%", plural: "en",
};

/** The patterns of the page's language; `bnviz/ui/component.py` puts them there. */
function joins() {
  return globalThis.bnvizJoins ?? ENGLISH;
}

function filled(pattern, values) {
  return pattern.replace(/\{(\w+)\}/g, (slot, name) => values[name] ?? slot);
}

/** Sentences, one after another; without those that are empty. */
export function joinSentences(parts) {
  return parts.filter(Boolean).join(joins().sentences);
}

/** Words or numbers in a list. */
export function joinList(parts) {
  return parts.join(joins().list);
}

/** Parts of a sentence that have commas of their own. */
export function joinClauses(parts) {
  return parts.join(joins().clauses);
}

/** Whole numbers as the server writes them, "1, 3–5", as the language does. */
export function joinRanges(numbers) {
  return joinList(String(numbers).split(", ").map((part) => {
    const [first, last] = part.split("–");
    return last === undefined ? first : filled(joins().range, { first, last });
  }));
}

/** A text and what stands in brackets after it. */
export function bracketed(text, aside) {
  return filled(joins().bracketed, { text, aside });
}

/** A label and what it labels. */
export function labelled(label, content) {
  return filled(joins().labelled, { label, content });
}

/** A network and how it does, as a sentence. */
export function stated(label, state) {
  return filled(joins().stated, { label, state });
}

/** A number, as it is written, with the sign of per cent. */
export function withPercent(number) {
  return filled(joins().percent, { number });
}

/** The ending of a key for so many: "one", "few", "many", "other". */
export function pluralForm(count) {
  return new Intl.PluralRules(joins().plural).select(count);
}
