// How a network does, in one line, and its accuracy beside it.

import { h, setText } from "./dom.js";
import { percent } from "./format.js";
import { capitalize, tellStory } from "./texts.js";

/** The heading of a network that nothing is known of yet. */
export function waitingHeadline(norm, { data, t }) {
  return h("h2", {}, t("cards.waiting", { label: capitalize(data.labels[norm] ?? norm) }));
}

/** Whether the layer in which networks broke is what a class is asked just now, or a station of a talk asks. */
export function asksLayer({ covered, data }) {
  return covered?.kind === "layer" || Boolean(data.talk && data.question?.kind === "layer");
}

/**
 * Fill what a network has: its headline, and its accuracy.
 *
 * @param parts {headline, accuracy, element} of its line or its card
 * @param network what a frame says of it
 * @param view {data, t}
 * @param glance whether it is read at a glance: short, and without a full stop
 */
export function tellHeadline(parts, norm, network, step, { data, t }, glance = false) {
  const label = data.labels[norm] ?? norm;
  const story = tellStory(data.texts, network.story, { label, step }, 0);
  const told = (glance ? story?.short : story?.headline) ?? `${capitalize(label)}: ${t(`state.${network.state}`)}.`;
  setText(parts.headline, glance ? told.replace(/[.。]$/, "") : told);
  const measured = Number.isFinite(Number(network.test_accuracy));
  setText(parts.accuracy, measured ? percent(network.test_accuracy) : "–");
  parts.accuracy.title = t(measured ? "cards.test_accuracy" : "cards.not_finite");
  parts.element.dataset.state = network.state;
}
