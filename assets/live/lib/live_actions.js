// The log of changes in words: live knobs, and live actions, which were done once to a run between two of its steps
// (bnviz/actions.py).

import { actions } from "../../contract.js";
import { written } from "./format.js";

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

/** A knob and its value, as words within a sentence. */
export function knobWords(labels, name, value) {
  const label = labels[name] ?? name.replaceAll("_", " ");
  return `${label[0].toLowerCase()}${label.slice(1)} ${value}`;
}

/** The same as the command line has it: "10", or "10@3". */
export function scalingText([factor, layer]) {
  return layer === null ? String(factor) : `${factor}@${layer}`;
}
