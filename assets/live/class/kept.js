// What a tab keeps of its class, so that reloading the page loses nothing.

import { keep, readKept } from "../lib/tab_storage.js";

const ROOM = "bnviz-room";
const QUESTION = "bnviz-question";

/** The room: {code, server, ballot, question: as it was last}. */
export const keptRoom = { get: () => readKept(ROOM), set: (value) => keep(ROOM, value) };
/** The question that was asked: see `Asked`. */
export const keptQuestion = { get: () => readKept(QUESTION), set: (value) => keep(QUESTION, value) };
