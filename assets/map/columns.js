// Columns of a row of the feed.

export const NETWORK = 0; // its number
export const I = 1; // place across, eighths of a step
export const J = 2; // place up
export const X = 3; // the knob's value across
export const Y = 4; // and up
export const KIND = 5; // learned, stuck or broken
export const ACCURACY = 6; // on the test set; null: not finite
export const LOSS = 7; // on the test set; null: not finite
export const BREAK_STEP = 8; // null: nothing broke
export const BREAK_LAYER = 9; // "layer 2"; null: none
export const REASON = 10; // key of story.reason; null: none
export const SHARE = 11; // of the seeds that learned
export const STEPS = 12; // taken by each run
export const STATE = 13; // the lab's word, or paused
