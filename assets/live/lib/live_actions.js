// Live actions in the log of changes: what was done once to a run between two of its steps, see
// bnviz/actions.py.

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

/** The same as the command line has it: "10", or "10@3". */
export function scalingText([factor, layer]) {
  return layer === null ? String(factor) : `${factor}@${layer}`;
}
