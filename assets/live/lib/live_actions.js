// Texts for the change log of a run. The log lists the values to which live knobs were set, and the live actions that
// were applied once between two steps (bnviz/actions.py).

import { actions } from "../../contract.js";
import { format, written } from "./format.js";
import { joinList } from "./joining.js";

/** Return whether a name in a change names an action, not a knob. */
export function isAction(name) {
  return actions.names.includes(name);
}

/**
 * Words for a multiplication of weights.
 *
 * @param value [factor, layer or null for all hidden layers]
 * @param words {all, layer}: templates with {factor} and {layer}
 */
export function scalingWords([factor, layer], words) {
  return (layer === null ? words.all : words.layer).replace("{factor}", written(factor)).replace("{layer}", layer);
}

/** Return the changes without the intermediate values of drags: only the last change of each drag remains. */
export function withoutPaths(changes) {
  return changes.filter(({ drag }, i) => !drag || changes[i + 1]?.drag !== drag);
}

/**
 * Words for all settings and actions of one change, as a list.
 * @param labels labels of the knobs by name
 * @param t translator of the page's texts
 */
export function changeWords(values, labels, t) {
  const words = { all: t("action.did_all"), layer: t("action.did_layer") };
  return joinList(Object.entries(values).map(([name, value]) => (
    isAction(name) ? scalingWords(value, words) : knobWords(labels, name, valueWords(value, t)))));
}

/** Return whether two values of a knob are equal. A missing value counts as null. */
export function sameValue(a, b) {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** Words for a knob's value: a choice, a number, or a list of numbers. */
export function valueWords(value, t) {
  return typeof value === "string" ? t(`choice.${value}`) : joinList([value].flat().map((each) => format(each)));
}

/** Words for the learning-rate factors of the groups of parameters, or "" if all factors are 1. */
export function factorWords(factors = [], t) {
  return factors.every((factor) => factor === 1) ? "" : t("knob.factors", { factors: valueWords(factors, t) });
}

/** A knob's label and value, as words within a sentence. */
export function knobWords(labels, name, value) {
  const label = labels[name] ?? name.replaceAll("_", " ");
  return `${label[0].toLowerCase()}${label.slice(1)} ${value}`;
}

/** Return a change as the command line and links write it: "0.1", "none", "10", or "10@3". */
export function changeText(name, value) {
  if (!isAction(name)) return [value].flat().map((each) => each ?? "none").join(",");
  const [factor, layer] = value;
  return layer === null ? String(factor) : `${factor}@${layer}`;
}
