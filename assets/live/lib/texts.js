// The words of the live view: nested tables of templates, filled with values.

import { format } from "./format.js";

const SLOT = /\{(\w+)(?::(\w+))?\}/g;

/** Fill `{name}` and `{name:format}` in a template. A value named `share` is a percentage. */
export function fillTemplate(template, values = {}, formats = {}) {
  return template.replace(SLOT, (slot, name, named) => {
    if (!(name in values)) return slot;
    return format(values[name], named ?? formats[name] ?? (name === "share" ? "percent" : "plain"));
  });
}

/** Look a dotted key up in nested tables; undefined where there is no text. */
export function lookUp(tables, key) {
  let found = tables;
  for (const part of key.split(".")) found = found?.[part];
  return typeof found === "string" ? found : undefined;
}

export function capitalize(text) {
  return text ? text[0].toLocaleUpperCase() + text.slice(1) : text;
}

/** A function from a dotted key and values to a text; an unknown key shows itself. */
export function translator(tables) {
  return (key, values = {}) => fillTemplate(lookUp(tables, key) ?? key, spoken(tables, values));
}

/** Values that are phrases themselves, `{key, values}`, as the texts that they are. */
function spoken(tables, values) {
  const t = translator(tables);
  const say = (value) => (value?.key ? t(value.key, value.values) : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, say(value)]));
}

/** What the server said: a phrase in the words of this page; English where it is none. */
export function said(t, { phrase, message }) {
  return phrase ? t(phrase.key, phrase.values) : message;
}

/**
 * The sentences of a network's card.
 *
 * @param story {headline: [key, values], detail: [[key, values], …]} or undefined
 * @param most how many sentences of detail, the first ones
 * @returns {headline: string, detail: string}
 */
export function tellStory(tables, story, common, most = Infinity) {
  const sentence = (part, [key, values]) => {
    const all = spoken(tables, { ...common, ...values });
    if (typeof all.knob === "string") all.knob = lookUp(tables, `story.knob.${all.knob}`) ?? all.knob;
    const template = lookUp(tables, `story.${part}.${key}`);
    return template === undefined ? "" : capitalize(fillTemplate(template, all));
  };
  if (!story?.headline) return null;
  return {
    headline: sentence("headline", story.headline),
    short: sentence("short", story.headline) || sentence("headline", story.headline),
    detail: (story.detail ?? []).slice(0, most).map((part) => sentence("detail", part)).filter(Boolean).join(" "),
  };
}
