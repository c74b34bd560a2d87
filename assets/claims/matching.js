// Functions that find the words of a search in the texts of the claims.

const GREEK = new Map(
  Object.entries({ beta: "β", gamma: "γ", epsilon: "ε", eta: "η", lambda: "λ", mu: "μ", sigma: "σ", phi: "φ" }),
);
const DIGITS = /^\d+$/;
const PLACE = /^e\d+(\.\w+)?$/;

// NUMBERS[n] is the English word for n. A search for digits also finds the word.
const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/**
 * Normalize a text for the search: lower case, no accents, and one form for minus signs, apostrophes and spelling
 * variants.
 */
export function plain(text) {
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "");
  const marks = letters.replaceAll("−", "-").replaceAll("’", "'");
  return marks.toLowerCase().replaceAll("normalis", "normaliz").replaceAll("regularis", "regulariz");
}

/**
 * Return a function that searches a row for one word. The number of a row or an experiment ("e21.3", "e21") must match
 * as a whole. Any other number must also match as a whole, but may be written in digits or as a word. A word of up to
 * three letters must be at the start of a word in the text ("two" is not found in "network"). A longer word may be
 * anywhere in the text.
 *
 * @returns (text, place: number of the row) => boolean
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

/**
 * Return a function that searches a text for a phrase. The words must follow each other. Each word may be singular or
 * plural, and a number may be written in digits or as a word.
 */
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
