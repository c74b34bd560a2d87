// Colours of the map as plain hex values: an exported picture has them too.

const LIGHT = { paper: "#ffffff", ink: "#1b1f24", muted: "#57606a", edge: "#d5dadf", all: "#e8ecef", broken: "#2b2f36", cross: "#9aa1aa", hatch: "#6b737d" };
// On dark paper what broke is a black hole; what learned shines.
const DARK = { paper: "#171b22", ink: "#e6e9ee", muted: "#a3abb5", edge: "#3d4550", all: "#47515e", broken: "#040506", cross: "#7d8590", hatch: "#929aa5" };
const READABLE = 4.5; // contrast of words
const LARGE = 3; // of large words

export function palette(dark) {
  return dark ? DARK : LIGHT;
}

/** Two colours mixed: so much of the first. */
export function mix(first, second, share) {
  const [a, b] = [channels(first), channels(second)];
  return `#${a.map((value, i) => Math.round(value * share + b[i] * (1 - share)).toString(16).padStart(2, "0")).join("")}`;
}

/** White or black words, whichever can be read on a ground; white where both can. */
export function wordsOn(ground, large) {
  const white = contrast("#ffffff", ground);
  if (white >= (large ? LARGE : READABLE)) return "#ffffff";
  return white > contrast("#14181e", ground) ? "#ffffff" : "#14181e";
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour) {
  const [red, green, blue] = channels(colour).map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}
