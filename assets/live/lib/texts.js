// The words of a page: nested tables of templates, which are filled with values.

import { format } from "./format.js";
import { joinRanges, joinSentences, pluralForm } from "./joining.js";

const SLOT = /\{(\w+)(?::(\w+))?\}/g;

/**
 * Fill `{name}` and `{name:format}` in a template.
 *
 * @param formats names of formats by name of the value (see format.js); without one a value is plain, and one
 *   named `share` a percentage
 */
export function fillTemplate(template, values = {}, formats = {}) {
  return template.replace(SLOT, (slot, name, named) => {
    if (!(name in values)) return slot;
    return format(values[name], named ?? formats[name] ?? (name === "share" ? "percent" : "plain"));
  });
}

/** Look up a dotted key in nested tables; undefined where there is no text. */
export function lookUp(tables, key) {
  let found = tables;
  for (const part of key.split(".")) found = found?.[part];
  return typeof found === "string" ? found : undefined;
}

/** A text with a capital first letter. */
export function capitalize(text) {
  return text ? text[0].toLocaleUpperCase() + text.slice(1) : text;
}

/** A function from a dotted key and values to a text. An unknown key becomes its own text. */
export function translator(tables) {
  const t = (key, values = {}) => fillTemplate(lookUp(tables, key) ?? key, withPhrases(tables, values));
  return Object.assign(t, { has: (key) => lookUp(tables, key) !== undefined });
}

/**
 * The text for so many: that of `key_one`, `key_few`, … as the language counts, or else of `key`.
 *
 * @param t from `translator`
 */
export function countedText(t, key, count, values = { count }) {
  return t(t.has(`${key}_${pluralForm(count)}`) ? `${key}_${pluralForm(count)}` : key, values);
}

/** Values, of which those that are phrases, {key, values}, are replaced by their texts. */
function withPhrases(tables, values) {
  const t = translator(tables);
  const say = (value) => (value?.key ? t(value.key, value.values) : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, say(value)]));
}

/** The text of a message of the server: its phrase in the page's language, or else its English text. */
export function messageText(t, { phrase, message }) {
  return phrase ? t(phrase.key, phrase.values) : message;
}

/**
 * The sentences about a network.
 *
 * @param story {headline: [key, values], detail: [[key, values], …]} of a frame, or undefined
 * @param common values for all sentences
 * @param most number of detail sentences, from the first one
 * @returns {headline, short, detail}: texts; null without a story
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
  if (!story?.headline) return null;
  return {
    headline: sentence("headline", story.headline),
    short: sentence("short", story.headline) || sentence("headline", story.headline),
    detail: joinSentences((story.detail ?? []).slice(0, most).map((part) => sentence("detail", part))),
  };
}
