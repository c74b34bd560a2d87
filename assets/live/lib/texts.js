// Texts of a page: nested tables of templates, which are filled with values.

import { format } from "./format.js";
import { joinList, joinRanges, joinSentences, pluralForm } from "./joining.js";

const SYMBOL = /^[\u0370-\u03ff](?![\u0370-\u03ff])/; // matches a Greek letter that is not the start of a word
const SLOT = /\{(\w+)(?::(\w+))?\}/g;

/**
 * Fill the slots `{name}` and `{name:format}` (see format.js) of a template. Without a format, a value named `share` is
 * written as a percentage, and any other number in the format `plain`.
 */
export function fillTemplate(template, values = {}) {
  return template.replace(SLOT, (slot, name, named) => {
    if (!(name in values)) return slot;
    return format(values[name], named ?? (name === "share" ? "percent" : "plain"));
  });
}

/** Look up a dotted key in nested tables. Return undefined if there is no text. */
export function lookUp(tables, key) {
  let found = tables;
  for (const part of key.split(".")) found = found?.[part];
  return typeof found === "string" ? found : undefined;
}

/** Capitalize the first letter of a text, unless it is a symbol such as σ. */
export function capitalize(text) {
  return text && !SYMBOL.test(text) ? text[0].toLocaleUpperCase() + text.slice(1) : text;
}

/**
 * Return a function that takes a dotted key and values, and returns the text. If the key is unknown, the function
 * returns the key itself.
 */
export function translator(tables) {
  const t = (key, values = {}) => fillTemplate(lookUp(tables, key) ?? key, withPhrases(tables, values));
  return Object.assign(t, { has: (key) => lookUp(tables, key) !== undefined });
}

/**
 * Key of the text for a count: `key_one`, `key_few`, …, by the plural rules of the language. If there is no such text,
 * return `key`.
 */
function countedKey(t, key, count) {
  const counted = `${key}_${pluralForm(count)}`;
  return t.has(counted) ? counted : key;
}

/**
 * Return the text for a count, in the plural form that the page's language requires.
 * @param t from `translator`
 */
export function countedText(t, key, count, values = { count }) {
  return t(countedKey(t, key, count), values);
}

/**
 * Text of a phrase {key, values}. A phrase may contain its own `text`, in case its key is not in the page's tables. An
 * array of phrases becomes a list, and any other value is returned unchanged. `bnviz/words/filling.py` does the same.
 * @param t from `translator`
 */
export function say(t, value) {
  if (Array.isArray(value)) return joinList(value.map((each) => say(t, each)));
  return value?.key ? (value.text ?? t(value.key, value.values)) : value;
}

/** Return the values, with every phrase replaced by its text. */
function withPhrases(tables, values) {
  const t = translator(tables);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, say(t, value)]));
}

/** Text of a server message: its phrase in the page's language, or its English text if it has no phrase. */
export function messageText(t, { phrase, message }) {
  return phrase ? t(phrase.key, phrase.values) : message;
}

/**
 * Return the sentences about a network.
 * @param story {headline: [key, values], detail: [[key, values], …]} of a frame
 * @param common values for all sentences
 * @param most maximum number of detail sentences; further ones are omitted
 * @returns {headline, short, detail}: texts
 */
export function tellStory(tables, story, common, most = Infinity) {
  const sentence = (part, [key, values]) => {
    const all = withPhrases(tables, { ...common, ...values });
    if (typeof all.knob === "string") all.knob = lookUp(tables, `story.knob.${all.knob}`) ?? all.knob;
    if (all.layers !== undefined) all.layers = joinRanges(all.layers);
    const form = typeof all.steps === "number" ? lookUp(tables, `story.${part}.${key}_${pluralForm(all.steps)}`) : undefined;
    const template = form ?? lookUp(tables, `story.${part}.${key}`);
    return template === undefined ? "" : capitalize(fillTemplate(template, all));
  };
  return {
    headline: sentence("headline", story.headline),
    short: sentence("short", story.headline) || sentence("headline", story.headline),
    detail: joinSentences(story.detail.slice(0, most).map((part) => sentence("detail", part))),
  };
}
