// What a track is painted with: what became of runs that were started at each of its rungs.

import { h } from "../lib/dom.js";

/**
 * @param painted {parts: [{first, last, learn, broke, text}], note}, see bnviz/planned_runs/started_rates.py
 * @param rungs how many there are
 * @param colours {line, text} by norm
 */
export function paintedTrack({ parts, note }, rungs, colours) {
  const last = rungs - 1;
  const made = parts.map((part) => {
    // From half a rung before the first to half a rung after the last.
    const [low, high] = [Math.max(0, part.first - 0.5) / last, Math.min(last, part.last + 0.5) / last];
    const [only] = part.learn?.length === 1 ? part.learn : [];
    const kind = part.learn === null ? "mixed" : only ? "only" : part.learn.length ? "all" : part.broke ? "none" : "slow";
    const style = { "--low": low, "--high": high, ...(only ? { "--line": colours[only]?.line, "--text": colours[only]?.text } : {}) };
    return { strip: h("i", { "data-kind": kind, style }), words: h("span", { "data-kind": kind, style }, part.text) };
  });
  return h("div", { class: "bnviz-painted", hidden: true, role: "note", "aria-label": [note, ...parts.map(({ text }) => text).filter(Boolean)].join(" · ") },
    h("div", { class: "bnviz-painted-strips", "aria-hidden": true }, ...made.map(({ strip }) => strip)),
    h("div", { class: "bnviz-painted-words", "aria-hidden": true }, ...made.map(({ words }) => words)));
}

/** What it says under the track. */
export function paintedNote({ note }) {
  return h("small", { class: "bnviz-painted-note", "aria-hidden": true, hidden: true }, note);
}
