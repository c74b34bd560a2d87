// Functions that join words and counts in the page's language, as bnviz/words/joining.py does. A component's data
// contains the patterns of `assets/texts/<language>/language.toml` if they differ from the English ones.

const ENGLISH = {
  sentences: " ", list: ", ", clauses: "; ", range: "{first}–{last}", quoted: "“{text}”", bracketed: "{text} ({aside})", labelled: "{label}: {content}", stated: "{label}: {state}.", percent: "{number}\u00a0%", plural: "en",
};

/** Patterns of the page's language, set by `bnviz/ui/component.py`. */
function joins() {
  return globalThis.bnvizJoins ?? ENGLISH;
}

function filled(pattern, values) {
  return pattern.replace(/\{(\w+)\}/g, (slot, name) => values[name] ?? slot);
}

/** Join sentences; skip empty ones. */
export function joinSentences(parts) {
  return parts.filter(Boolean).join(joins().sentences);
}

/** Join words or numbers as a list. */
export function joinList(parts) {
  return parts.join(joins().list);
}

/** Join clauses into one sentence. The separator is not a comma, because a clause may itself contain commas. */
export function joinClauses(parts) {
  return parts.join(joins().clauses);
}

/**
 * Format a list of integers from the server, such as "1, 3–5", with the list separator and the range pattern of the
 * page's language.
 */
export function joinRanges(numbers) {
  return joinList(String(numbers).split(", ").map((part) => {
    const [first, last] = part.split("–");
    return last === undefined ? first : filled(joins().range, { first, last });
  }));
}

/** Append an aside in brackets to a text. */
export function bracketed(text, aside) {
  return filled(joins().bracketed, { text, aside });
}

/** Join a label and its content. */
export function labelled(label, content) {
  return filled(joins().labelled, { label, content });
}

/** Join a network's label and its state into a sentence. */
export function stated(label, state) {
  return filled(joins().stated, { label, state });
}

/** Add the percent sign to a formatted number. */
export function withPercent(number) {
  return filled(joins().percent, { number });
}

/** Plural form for a count, used as the ending of a text key: "one", "few", "many" or "other". */
export function pluralForm(count) {
  return new Intl.PluralRules(joins().plural).select(count);
}
