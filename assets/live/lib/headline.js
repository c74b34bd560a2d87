// How a network does, in one line, and its accuracy beside it.

import { h, setText } from "./dom.js";
import { count, percent } from "./format.js";
import { capitalize, tellStory } from "./texts.js";

/** The heading of a network that nothing is known of yet. */
export function waitingHeadline(norm, { data, t }) {
  return h("h2", {}, t("cards.waiting", { label: capitalize(data.labels[norm] ?? norm) }));
}

/** Whether the layer in which networks broke is what a class is asked just now, or a station of a talk asks. */
export function asksLayer({ covered, data }) {
  return covered?.kind === "layer" || Boolean(data.talk && data.question?.kind === "layer");
}

/** Whether a class is asked of a past step, so that what came after it is not to be seen. */
export function coversLater({ covered, time }) {
  return Boolean(covered) && time.rewound;
}

/** What is said of a network that was not started where its run is taken to a later step at once; null elsewhere. */
export function onItsWay({ story }, label, { t, store }) {
  const to = story?.headline?.[0] === "not_started" ? store.goesTo : null;
  return to === null ? null : t("cards.on_its_way", { label: capitalize(label), step: count(to) });
}

/**
 * Fill what a network has: its headline, and its accuracy.
 *
 * @param parts {headline, accuracy, element} of its line or its card
 * @param network what a frame says of it
 * @param view {data, t}
 * @param glance whether it is read at a glance: short, and without a full stop
 */
export function tellHeadline(parts, norm, network, step, { data, t, store }, glance = false) {
  const label = data.labels[norm] ?? norm;
  const story = tellStory(data.texts, network.story, { label, step }, 0);
  const told = onItsWay(network, label, { t, store }) ?? (glance ? story?.short : story?.headline) ?? `${capitalize(label)}: ${t(`state.${network.state}`)}.`;
  setText(parts.headline, glance ? told.replace(/[.。]$/, "") : told);
  const measured = Number.isFinite(Number(network.test_accuracy));
  setText(parts.accuracy, measured ? percent(network.test_accuracy) : "–");
  parts.accuracy.title = t(measured ? "cards.test_accuracy" : "cards.not_finite");
  parts.element.dataset.state = network.state;
}
