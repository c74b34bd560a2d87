// The log of changes in words: live knobs, and live actions, which were done once to a run between two of its steps
// (bnviz/actions.py).

import { actions } from "../../contract.js";
import { format, written } from "./format.js";
import { joinList } from "./joining.js";

/** Whether a name in a change is that of an action, and not of a knob. */
export function isAction(name) {
  return actions.names.includes(name);
}

/**
 * What multiplying weights did, in words.
 *
 * @param value [factor, layer or null for all hidden layers]
 * @param words {all, layer}: templates with {factor} and {layer}
 */
export function scalingWords([factor, layer], words) {
  return (layer === null ? words.all : words.layer).replace("{factor}", written(factor)).replace("{layer}", layer);
}

/** The changes; of a drag only the last one. */
export function withoutPaths(changes) {
  return changes.filter(({ drag }, i) => !drag || changes[i + 1]?.drag !== drag);
}

/** What one change set and did, as a list in words. @param labels of the knobs @param t the page's words */
export function changeWords(values, labels, t) {
  const words = { all: t("action.did_all"), layer: t("action.did_layer") };
  return joinList(Object.entries(values).map(([name, value]) => (
    isAction(name) ? scalingWords(value, words) : knobWords(labels, name, valueWords(value, t)))));
}

/** Whether two values of a knob are the same; one that is missing is null. */
export function sameValue(a, b) {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** A knob's value: a choice in words, a number, or its numbers in a list. */
export function valueWords(value, t) {
  return typeof value === "string" ? t(`choice.${value}`) : joinList([value].flat().map((each) => format(each)));
}

/** The factors of the learning rate, by group of parameters, in words; "" where all are 1. */
export function factorWords(factors = [], t) {
  return factors.every((factor) => factor === 1) ? "" : t("knob.factors", { factors: valueWords(factors, t) });
}

/** A knob and its value, as words within a sentence. */
export function knobWords(labels, name, value) {
  const label = labels[name] ?? name.replaceAll("_", " ");
  return `${label[0].toLowerCase()}${label.slice(1)} ${value}`;
}

/** A change as the command line and a link write it: "0.1", "none", "10", or "10@3". */
export function changeText(name, value) {
  if (!isAction(name)) return [value].flat().map((each) => each ?? "none").join(",");
  const [factor, layer] = value;
  return layer === null ? String(factor) : `${factor}@${layer}`;
}
