// The kinds of vote. A kind says how a teacher writes such a question, how its answers and their votes are
// shown, and what the room is sent. A new kind is one file like lettered_vote.js, and one line here. The server
// makes what phones show.

import { letteredVote } from "./lettered_vote.js";

/**
 * Each kind by its name:
 *
 *   own: how a teacher writes a question of this kind in the composer: {id, label and missing: keys of the
 *     words, Form: class, made with the live view and a function to call whenever something is typed,
 *     with `element`, `fill(question)` and `read()`, which gives the question, or null while something is missing}
 *   preview(question): the answers as the composer shows them, as list items
 *   size(question): how many characters the dialog shows
 *   Answers: class with `element` and `show(question, state)`: the answers, and their votes once these are shown
 *   guessText(question, guess): the guess of a reader, in words
 *   outcomeNote(t, answers): what is said behind the sentence of an outcome; "" where nothing is
 *   hands: the fields for a show of hands, {fields(question, t), read(form), none(question), total(tally)}; null: only
 *     phones vote
 *   request(question): what the room is sent to ask it
 */
const VOTE_KINDS = { lettered: letteredVote };

/** All kinds, in the order in which the composer offers them. */
export const voteKinds = Object.values(VOTE_KINDS);

/** The kind of a question's vote. */
export function voteKindOf({ vote = "lettered" }) {
  return VOTE_KINDS[vote];
}
