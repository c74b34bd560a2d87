// Terms of the glossary within texts: on hover, focus and tap a term shows its explanation. A text either
// marks its terms, [[key]] or [[key|word in the text]], or they are found by the words that the glossary
// lists.

import { h } from "./dom.js";

const MARK = /\[\[([\w-]+)(?:\|([^\]]+))?\]\]|\*([^*]+)\*/g;
const finders = new WeakMap(); // glossary → {pattern, keys}

/**
 * A text with marks, as nodes. *Words* between asterisks are emphasized.
 *
 * @param glossary {key: {word: the term, line: its explanation, also: other words for it}}
 */
export function rich(text, glossary = {}) {
  return replaced(text, MARK, ([, key, shown, stressed]) => (
    key ? term(key, rich(shown ?? glossary[key]?.word ?? key), glossary) : h("em", stressed)));
}

/** A text as nodes. @param make gives the node in place of what a pattern finds; null: it stays */
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

/** A text without marks, as nodes; the first occurrence of each term shows its explanation. */
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

/** The terms in a text without marks: Map from key to the word at its first occurrence. */
export function termsIn(text, glossary = {}) {
  const { pattern, keys } = finderOf(glossary);
  const found = new Map();
  for (const [word] of pattern ? text.matchAll(pattern) : []) {
    const key = keys.get(word.toLocaleLowerCase());
    if (key && !found.has(key)) found.set(key, word);
  }
  return found;
}

/** Fill an element with `linked` nodes, unless the text is the same as before. */
export function setLinked(element, text, glossary) {
  if (element.bnvizText === text) return;
  element.bnvizText = text;
  element.replaceChildren(...linked(text, glossary));
}

/** The element of a term with its explanation; of a key that the glossary lacks, the words alone. */
export function term(key, words, glossary) {
  const { line } = glossary[key] ?? {};
  if (!line) return h("span", words);
  return h("span.bnviz-term", { "data-term": key, tabindex: 0 }, words, h("span.bnviz-says", { role: "tooltip" }, line));
}

/** The text of an element without the explanations of its terms. */
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
  // The longest first: "exploding gradient" before "gradient". Latin words match only as whole words.
  const parts = [...keys.keys()].sort((a, b) => b.length - a.length).map((word) => {
    const plain = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return /^[\p{Script=Latin}\s-]+$/u.test(word) ? `(?<!\\p{L})${plain}(?!\\p{L})` : plain;
  });
  return { keys, pattern: parts.length ? new RegExp(parts.join("|"), "giu") : null };
}
