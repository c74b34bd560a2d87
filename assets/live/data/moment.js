// The moment to look: the step at which what the page's preset says is to be seen.

/**
 * @returns {step, text, reached}; null without one, or after a live change before it: then the run
 * is no longer the one that the preset speaks of
 */
export function momentOf({ moment }, { live, changes }) {
  if (!moment || changes.some(({ step }) => step < moment.step)) return null;
  return { ...moment, reached: live !== null && live.step >= moment.step };
}
