// What a tab keeps of its class, so that reloading the page loses nothing. Without storage it lasts as
// long as the page.

const ROOM = "bnviz-room";
const QUESTION = "bnviz-question";
const unstored = new Map();

function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return unstored.get(key) ?? null;
  }
}

function write(key, value) {
  unstored.set(key, value);
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A page in a closed-off frame has no storage.
  }
}

/** The room: {code, server, ballot, question: as it was last}. */
export const keptRoom = { get: () => read(ROOM), set: (value) => write(ROOM, value) };
/** The question that was asked: see `Asked`. */
export const keptQuestion = { get: () => read(QUESTION), set: (value) => write(QUESTION, value) };
