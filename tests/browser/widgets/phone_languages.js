// Every question that the app asks a class, and every outcome, as a page in some language sends them to its room.

import { viewOf } from "./map_parts.js";

const load = (name) => import(`/assets/v1/${name}.js`);

/**
 * All of them as one text, in JSON.
 *
 * @param joins how the language joins words
 * @param runs {words, pages: what the page's script says of runs, outcomes: [{question, from, run}, …]}
 * @param maps [{data, rows, ends: how the map ended, each asked of every question}, …]
 */
export async function everything({ joins, runs, maps }) {
  globalThis.bnvizJoins = joins;
  try {
    const ofMaps = [];
    for (const map of maps) ofMaps.push(...(await aboutMap(map)));
    return JSON.stringify([...(await aboutRuns(runs)), ...ofMaps]);
  } finally {
    delete globalThis.bnvizJoins;
  }
}

async function aboutRuns({ words, pages, outcomes }) {
  const { questionsFor, runOutcome, sentencesOf } = await load("classroom/run_questions");
  const { outcomeOfPhrases } = await load("classroom/asked_question");
  const { requestOf } = await load("classroom/room_link");
  const { translator } = await load("live/lib/texts");
  const t = translator(words);
  const asked = pages.flatMap((data) => questionsFor(data, t).map(requestOf));
  const [data] = pages;
  const told = outcomes.map(({ question, from, run }) => {
    const accuracy = (norm) => ({ steps: (run.accuracy[norm] ?? []).map(([step]) => step), values: (run.accuracy[norm] ?? []).map(([, value]) => value ?? NaN) });
    const found = runOutcome(question, from, { ...run, accuracy });
    return outcomeOfPhrases(t, found.answers, sentencesOf(found, data));
  });
  return [...asked, ...told];
}

async function aboutMap({ data, rows, ends }) {
  const { questionsFor, mapOutcome } = await load("map/map_questions");
  const { MapSubject } = await load("map/map_subject");
  const { requestOf } = await load("classroom/room_link");
  const view = await viewOf({ data, rows });
  const questions = questionsFor(view, "batch");
  const told = questions.flatMap((question) => ends.map((end) => {
    const norms = view.norms.map(({ name }) => name);
    const found = mapOutcome(question, { over: true, failed: false, norms, model: view.model, ...end });
    return new MapSubject(view).outcomeOf({ question, outcome: () => found }, null);
  }));
  return [...questions.map(requestOf), ...told];
}
