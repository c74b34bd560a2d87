// All questions and outcomes that the pages send to a class, in one language.

import { viewOf } from "./map_parts.js";

const load = (name) => import(`/assets/v1/${name}.js`);

/**
 * Return all questions and outcomes as JSON.
 * @param joins patterns with which the language joins words
 * @param runs {words, pages: the script's data of runs, outcomes: [{question, from, run}, …]}
 * @param maps [{data, rows, ends: final states of the map, in each of which every question is asked}, …]
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
  const { QuestionedMap } = await load("map/questioned_map");
  const { requestOf } = await load("classroom/room_link");
  const view = await viewOf({ data, rows });
  const questions = questionsFor(view, "batch");
  const told = questions.flatMap((question) => ends.map((end) => {
    const norms = view.norms.map(({ name }) => name);
    const found = mapOutcome(question, { over: true, failed: false, norms, model: view.model, ...end });
    return new QuestionedMap(view).outcomeOf({ question, outcome: () => found }, null);
  }));
  return [...questions.map(requestOf), ...told];
}
