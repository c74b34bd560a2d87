// What a tab keeps of its class, so that reloading the page loses nothing.

import { readFromTab, storeInTab } from "../lib/storage.js";

const ROOM = "bnviz-room";
const QUESTION = "bnviz-question";

/** The room: {code, server, ballot, question: as it was last}. */
export const keptRoom = { get: () => readFromTab(ROOM), set: (value) => storeInTab(ROOM, value) };
/** The question that was asked: see `Asked`. */
export const keptQuestion = { get: () => readFromTab(QUESTION), set: (value) => storeInTab(QUESTION, value) };
