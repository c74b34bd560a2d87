// Glossary terms in texts: a term shows its explanation on hover, focus and tap. A text can mark its terms as [[key]]
// or [[key|word in the text]]. In a text without such marks, terms are found by the words in the glossary.

import { h } from "./dom.js";

const MARK = /\[\[([\w-]+)(?:\|([^\]]+))?\]\]|\*([^*]+)\*/g;
const finders = new WeakMap(); // glossary → {pattern, keys}

/**
 * Convert a text with marks to nodes. Words between asterisks are emphasized.
 * @param glossary {key: {word: the term, line: its explanation, also: other words for it}}
 */
export function rich(text, glossary = {}) {
  return replaced(text, MARK, ([, key, shown, stressed]) => (
    key ? term(key, rich(shown ?? glossary[key]?.word ?? key), glossary) : h("em", stressed)));
}

/**
 * Convert a text to nodes, replacing the matches of a pattern.
 *
 * @param make returns the node for a match, or null to keep the text
 */
function replaced(text, pattern, make) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    const node = make(found);
    if (!node) continue;
    nodes.push(text.slice(end, found.index), node);
    end = found.index + found[0].length;
  }
  return [...nodes, text.slice(end)].filter((node) => node !== "");
}

/** Convert a text without term marks to nodes. The first occurrence of each glossary term shows its explanation. */
export function linked(text, glossary = {}) {
  const { pattern, keys } = finderOf(glossary);
  if (!pattern) return [text];
  const seen = new Set();
  return replaced(text, pattern, ([word]) => {
    const key = keys.get(word.toLocaleLowerCase());
    if (!key || seen.has(key)) return null;
    seen.add(key);
    return term(key, [word], glossary);
  });
}

/**
 * Find the glossary terms in a text without term marks. Return a Map from each term's key to the first matching word.
 */
export function termsIn(text, glossary = {}) {
  const { pattern, keys } = finderOf(glossary);
  const found = new Map();
  for (const [word] of pattern ? text.matchAll(pattern) : []) {
    const key = keys.get(word.toLocaleLowerCase());
    if (key && !found.has(key)) found.set(key, word);
  }
  return found;
}

/**
 * Fill an element with a text whose glossary terms show their explanations (see `linked`), unless the text is
 * unchanged.
 */
export function setLinked(element, text, glossary) {
  if (element.bnvizText === text) return;
  element.bnvizText = text;
  element.replaceChildren(...linked(text, glossary));
}

/**
 * Element that shows a term's words with its explanation. If the glossary does not contain the key, return the words
 * alone.
 */
export function term(key, words, glossary) {
  const { line } = glossary[key] ?? {};
  if (!line) return h("span", words);
  return h("span.bnviz-term", { "data-term": key, tabindex: 0 }, words, h("span.bnviz-says", { role: "tooltip" }, line));
}

/** Return the text of an element without the explanations of its terms. */
export function plainText(element) {
  const copy = element.cloneNode(true);
  for (const said of copy.querySelectorAll(".bnviz-says")) said.remove();
  return copy.textContent;
}

function finderOf(glossary) {
  if (!finders.has(glossary)) finders.set(glossary, makeFinder(glossary));
  return finders.get(glossary);
}

function makeFinder(glossary) {
  const keys = new Map();
  for (const [key, { word, also = [] }] of Object.entries(glossary)) for (const one of [word, ...also]) keys.set(one.toLocaleLowerCase(), key);
  // Try the longest words first, so that "exploding gradient" is found before "gradient". Latin words match only as
  // whole words.
  const parts = [...keys.keys()].sort((a, b) => b.length - a.length).map((word) => {
    const plain = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return /^[\p{Script=Latin}\s-]+$/u.test(word) ? `(?<!\\p{L})${plain}(?!\\p{L})` : plain;
  });
  return { keys, pattern: parts.length ? new RegExp(parts.join("|"), "giu") : null };
}
