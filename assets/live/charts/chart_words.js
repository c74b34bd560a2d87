// What a chart says of the values in it: the step they are of, and which were measured before it.

import { fillTemplate } from "../lib/texts.js";

/** The subtitle; every chart prints the step it shows. */
export function subtitleOf({ subtitle = "" }, step, t) {
  if (subtitle.includes("{step}")) return fillTemplate(subtitle, { step });
  return `${t("chart.at_step", { step })}, ${subtitle}`;
}

/** What the chart shows, for those who read it: of the step shown, where the sentence names it. */
export function captionOf({ table }, step) {
  return fillTemplate(table?.caption ?? "", { step });
}

/**
 * A note for each probe that was measured before the step shown, and of which networks where not
 * of all. Rows of a network that has stopped are grey and say so themselves.
 *
 * @param labels of the networks
 */
export function agesOf({ needs = [] }, { frame, step, rewound }, labels, t) {
  const going = Object.entries(frame.networks).filter(([, { state }]) => state !== "diverged");
  return needs.flatMap((probe) => {
    const all = going.map(([norm, network]) => ({ norm, at: network.measured_at?.[probe] }));
    const measured = all.filter(({ at }) => at !== undefined);
    const name = t(`probe.${probe}`);
    if (all.length && !measured.length) return [t(rewound ? "chart.unmeasured" : "chart.measuring", { probe: name, step })];
    const old = measured.filter(({ at }) => at < step);
    if (!old.length) return [];
    const whose = old.map(({ norm }) => labels[norm] ?? norm).join(", ");
    const key = old.length < measured.length ? "chart.older_of" : "chart.older";
    const at = Math.min(...old.map((one) => one.at));
    return [t(key, { probe: name, labels: whose, step: at })];
  });
}
