// Finds words that people type in the text of the claims.

const GREEK = new Map(
  Object.entries({ beta: "β", gamma: "γ", epsilon: "ε", eta: "η", lambda: "λ", mu: "μ", sigma: "σ", phi: "φ" }),
);
const DIGITS = /^\d+$/;
const PLACE = /^e\d+(\.\w+)?$/;

// People type digits where a text has a word.
const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/** A text as people type it: lower case, no accents, one kind of minus, of apostrophe and of spelling. */
export function plain(text) {
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "");
  const marks = letters.replaceAll("−", "-").replaceAll("’", "'");
  return marks.toLowerCase().replaceAll("normalis", "normaliz").replaceAll("regularis", "regulariz");
}

/**
 * How a word is looked for in a row: the number of a row, an experiment or anything else as a whole, in digits or as a word;
 * a short word at the beginning of a word ("two" is not in "network"); any other word anywhere.
 *
 * @returns (text, place: number of the row) => whether the word is there
 */
export function matcher(word) {
  if (PLACE.test(word)) return (text, place) => place === word || place.startsWith(`${word}.`) || text.includes(` ${word} `);
  if (DIGITS.test(word)) {
    const whole = new RegExp(`(?<![\\d.,×e-])(?:${inDigitsAndWords(word)})(?![\\d×]|[.,]\\d)`);
    return (text) => whole.test(text);
  }
  const letters = greek(word);
  if (/^[a-z]{1,3}$/.test(word)) {
    const begins = new RegExp(`(?<!\\p{L})${word}${NUMBERS.includes(word) ? "(?!\\p{L})" : ""}`, "u");
    return (text) => begins.test(text) || (letters !== word && text.includes(letters));
  }
  return (text) => text.includes(word) || text.includes(letters);
}

/** How a phrase is looked for: its words one after the other, singular or plural, a number in digits or as a word. */
export function holdsPhrase(words) {
  const phrase = new RegExp(`(?<![\\p{L}\\d])${words.map(anyForm).join("[\\s,]+")}(?![\\p{L}\\d])`, "u");
  return (text) => phrase.test(text);
}

function anyForm(word) {
  if (DIGITS.test(word)) return `(?:${inDigitsAndWords(word)})`;
  const number = NUMBERS.indexOf(word);
  if (number >= 0) return `(?:${word}|${number})`;
  const plural = /^[a-z]{3,}$/.test(word) ? "(?:e?s)?" : "";
  return `(?:${[...new Set([word, greek(word)])].map(escaped).join("|")})${plural}`;
}

function inDigitsAndWords(digits) {
  return [digits, NUMBERS[Number(digits)]].filter(Boolean).join("|");
}

function greek(word) {
  return word.replace(/[a-z]+/g, (name) => GREEK.get(name) ?? name);
}

function escaped(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
