// Terms of art open their line of the glossary on hover, focus and tap. In a text they are marked,
// [[key]] or [[key|as written]], or found by the words under which the glossary knows them.

import { h } from "./dom.js";

const MARK = /\[\[([\w-]+)(?:\|([^\]]+))?\]\]|\*([^*]+)\*/g;
const finders = new WeakMap(); // glossary → {pattern, keys}

/**
 * A text with marks as nodes; *words* between asterisks are stressed.
 *
 * @param glossary {key: {word, line, also}}: how it stands in a text, its line, other words for it
 */
export function rich(text, glossary = {}) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(MARK)) {
    const [whole, key, shown, stressed] = found;
    nodes.push(text.slice(end, found.index), key ? term(key, rich(shown ?? glossary[key]?.word ?? key), glossary) : h("em", {}, stressed));
    end = found.index + whole.length;
  }
  return [...nodes, text.slice(end)].filter((node) => node !== "");
}

/** A text without marks as nodes: the first place of each term in it is one. */
export function linked(text, glossary = {}) {
  const { pattern, keys } = finderOf(glossary);
  if (!pattern) return [text];
  const nodes = [];
  const seen = new Set();
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    const key = keys.get(found[0].toLocaleLowerCase());
    if (!key || seen.has(key)) continue;
    seen.add(key);
    nodes.push(text.slice(end, found.index), term(key, [found[0]], glossary));
    end = found.index + found[0].length;
  }
  return [...nodes, text.slice(end)].filter((node) => node !== "");
}

/** The terms in a text without marks: key → as it is written where it first stands. */
export function termsIn(text, glossary = {}) {
  const { pattern, keys } = finderOf(glossary);
  const found = new Map();
  for (const [word] of pattern ? text.matchAll(pattern) : []) {
    const key = keys.get(word.toLocaleLowerCase());
    if (key && !found.has(key)) found.set(key, word);
  }
  return found;
}

/** Show a text with its terms, where it is another than before. */
export function setLinked(element, text, glossary) {
  if (element.bnvizText === text) return;
  element.bnvizText = text;
  element.replaceChildren(...linked(text, glossary));
}

/** One term of the glossary; words alone where the glossary does not have it. */
export function term(key, words, glossary) {
  const { line } = glossary[key] ?? {};
  if (!line) return h("span", {}, ...words);
  return h("span", { class: "bnviz-term", "data-term": key, tabindex: 0 }, ...words, h("span", { class: "bnviz-says", role: "tooltip" }, line));
}

function finderOf(glossary) {
  if (!finders.has(glossary)) finders.set(glossary, makeFinder(glossary));
  return finders.get(glossary);
}

function makeFinder(glossary) {
  const keys = new Map();
  for (const [key, { word, also = [] }] of Object.entries(glossary)) for (const one of [word, ...also]) keys.set(one.toLocaleLowerCase(), key);
  // The longest first: "exploding gradient" before "gradient". Words of letters end where letters end.
  const parts = [...keys.keys()].sort((a, b) => b.length - a.length).map((word) => {
    const plain = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return /^[\p{Script=Latin}\s-]+$/u.test(word) ? `(?<!\\p{L})${plain}(?!\\p{L})` : plain;
  });
  return { keys, pattern: parts.length ? new RegExp(parts.join("|"), "giu") : null };
}
