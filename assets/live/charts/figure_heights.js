// How high a chart's figure is, by the form of it that fits: "wide", "medium" or "compact".

const LEAST = 240; // px, the lowest figure where the window is low
const LEAST_IN_BLOCK = 190; // px, the same in a lesson

/** The form for a figure of this width in pixels. */
export function fittingForm({ compact, medium }, width) {
  if (compact && width < compact.below) return "compact";
  return medium && width < medium.below ? "medium" : "wide";
}

/** The flat layout changes of a form, for a figure of this height in pixels. */
export function layoutOf(spec, form, height) {
  const own = spec[form]?.layout ?? {};
  return isLow(spec, height) ? { ...own, ...spec.low.layout } : own;
}

/** Whether a figure of this height in pixels is a low one, for which its chart has a layout. */
export function isLow({ low }, height) {
  return Boolean(low) && height > 0 && height < low.below;
}

/** The height in pixels that a form of a chart is made for, and the least it can do with. */
export function heightsOf(spec, form, inBlock) {
  const layout = spec[form];
  const height = layout?.height ?? spec.wide?.height ?? spec.height;
  const least = layout?.least ?? Math.min(height, inBlock ? LEAST_IN_BLOCK : LEAST);
  return { height, least };
}
