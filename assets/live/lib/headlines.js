// Status of each network in one line: its headline and its test accuracy.

import { h, setText } from "./dom.js";
import { count, percent } from "./format.js";
import { capitalize, tellStory } from "./texts.js";

/** Return the headline of a network before the first frame. */
export function waitingHeadline(norm, { data, t }) {
  return h("h2", t("cards.waiting", { label: capitalize(data.labels[norm]) }));
}

/**
 * Return the headline of a network. At step 0, it may name the step to which the server is advancing the run.
 *
 * @param network the network's part of a frame
 * @param view {data, t, store}
 */
export function headlineOf({ story }, norm, step, { data, t, store }, short = false) {
  const label = data.labels[norm];
  const to = story.headline[0] === "not_started" ? store.goesTo : null;
  if (to !== null) return t("cards.on_its_way", { label: capitalize(label), step: count(to) });
  const told = tellStory(data.texts, story, { label, step }, 0);
  return short ? told.short : told.headline;
}

/**
 * Write a network's headline and accuracy.
 *
 * @param parts {headline, accuracy, element}: elements of the network's line or card
 * @param short whether to use the short headline, without a full stop
 */
export function fillHeadline(parts, norm, network, step, view, short = false) {
  const { t } = view;
  const told = headlineOf(network, norm, step, view, short);
  setText(parts.headline, short ? told.replace(/[.。]$/, "") : told);
  const measured = Number.isFinite(Number(network.test_accuracy));
  setText(parts.accuracy, measured ? percent(network.test_accuracy) : "–");
  parts.accuracy.title = t(measured ? "cards.test_accuracy" : "cards.not_finite");
  parts.element.dataset.state = network.state;
}
