// Charts of a recorded talk. They are canvases with measured values, on the page that player.js builds.
"use strict";
/**
 * Create the functions that draw the charts.
 * @param networks names of the networks, by norm
 * @param knobs names of the knobs in texts, by knob
 * @param colour function that takes a norm and returns the line colour
 * @param from text for a knob change, with slots {knob} and {value}
 */
function recordedCharts({ networks, knobs, colour, from }) {
  const BINS = 64; // of a distribution
  const STRETCH = 1.6; // vertical scale at which usual peaks fill two thirds of their row; higher peaks are cut off
  const TICKS = [1, 2, 5, 10, 20, 50, 100, 200]; // possible distances between axis labels, in steps or powers of ten
  // dash patterns of the networks' lines, in the order of the networks
  const DASHES = [[10, 6], [], [3, 4], [14, 4, 3, 4]];
  const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const APART = 20; // minimum distance in px between the names at the ends of lines
  const [NAMES, FOOT] = [150, 26]; // px; width of the space for the names, and height of the space for the axis labels
  const REACH = Math.asinh(1000); // end of the asinh axis of the distributions, which goes from −1000 to 1000
  // Absolute input value at which the flat zones of each activation begin.
  const FLAT = { tanh: [Math.atanh(0.9)], sigmoid: [Math.log(19)] };
  const unpack = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  function style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name);
  }

  function paper(canvas) {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    return { pen, width, height };
  }

  /**
   * Draw the distributions of the layers, with the output at the top. The horizontal axis is an asinh scale, which is
   * linear near 0. The flat zones of the activation are shaded.
   */
  function drawRows(canvas, chapter, network, line) {
    const { pen, width, height } = paper(canvas);
    const rows = unpack(network.rows);
    const count = rows.length / BINS;
    const left = width < 420 ? 30 : 46;
    const across = (bin) => left + (bin / BINS) * (width - left - 8);
    const on = (value) => left + ((Math.asinh(value) + REACH) / (2 * REACH)) * (width - left - 8);
    const row = (height - FOOT) / count;
    pen.fillStyle = style("--zone");
    for (const edge of FLAT[chapter.activation] ?? []) {
      pen.fillRect(left, 0, on(-edge) - left, height - FOOT);
      pen.fillRect(on(edge), 0, width - 8 - on(edge), height - FOOT);
    }
    pen.font = `${Math.min(20, Math.max(12, row - 2))}px system-ui, sans-serif`;
    pen.textBaseline = "alphabetic";
    const every = Math.ceil(22 / row);
    for (let layer = 0; layer < count; layer++) {
      const base = height - FOOT - layer * row;
      pen.beginPath();
      pen.moveTo(left, base);
      for (let bin = 0; bin < BINS; bin++) {
        const up = base - Math.min(0.95, (rows[layer * BINS + bin] / 255) * STRETCH) * row;
        pen.lineTo(across(bin), up);
        pen.lineTo(across(bin + 1), up);
      }
      pen.lineTo(width - 8, base);
      pen.globalAlpha = 0.3;
      pen.fillStyle = line;
      pen.fill();
      pen.globalAlpha = 1;
      pen.strokeStyle = line;
      pen.lineWidth = 1.5;
      pen.stroke();
      pen.fillStyle = style("--quiet");
      pen.textAlign = "right";
      if (layer % every === 0) pen.fillText(String(layer + 1), left - 8, base - 3);
    }
    pen.font = "18px system-ui, sans-serif";
    pen.textAlign = "center";
    for (const tick of width < 420 ? [-100, 0, 100] : [-100, -10, -1, 0, 1, 10, 100]) pen.fillText(String(tick).replace("-", "−"), on(tick), height - 4);
  }

  /**
   * Return the smallest distance between axis labels, in steps or powers of ten, at which the labels have enough room.
   */
  const apartFor = (all, width) => TICKS.find((ticks) => (60 * all) / ticks <= width) ?? all;

  /** Return a power of ten as text, given its exponent. */
  const powerOfTen = (power) => (Math.abs(power) < 3 ? String(Number((10 ** power).toPrecision(1))) : `10${[...String(power)].map((digit) => RAISED[digit]).join("")}`);

  /** Draw a vertical axis: a grid line and a label for each of [[value, text], …]. */
  function drawLevels({ pen, width }, left, y, levels) {
    pen.font = "18px system-ui, sans-serif";
    pen.fillStyle = style("--quiet");
    pen.strokeStyle = style("--line");
    pen.textAlign = "right";
    for (const [value, words] of levels) {
      pen.fillText(words, left - 8, y(value) + 6);
      pen.strokeRect(left, y(value), width - left - NAMES, 0);
    }
    pen.textAlign = "center";
  }

  /** Return axis labels for every power of ten, or only for every second, third, … power of ten. */
  const powersOfTen = (low, high, apart) =>
    Array.from({ length: Math.floor((high - low) / apart) + 1 }, (_, i) => high - i * apart).map((power) => [10 ** power, powerOfTen(power)]);

  /**
   * Draw one line per network, with the network's name at the end of its line.
   * @param pointsOf function that takes a norm and returns the points [[x, y], …] in px
   * @param mark half the side of a square marker, in px
   */
  function drawLines({ pen, height }, norms, pointsOf, mark) {
    pen.lineWidth = 3;
    const ends = [];
    for (const [i, norm] of norms.entries()) {
      const points = pointsOf(norm);
      pen.strokeStyle = pen.fillStyle = colour(norm);
      pen.setLineDash(DASHES[i % DASHES.length]);
      pen.beginPath();
      for (const [x, y] of points) pen.lineTo(x, y);
      pen.stroke();
      for (const [x, y] of points) pen.fillRect(x - mark, y - mark, 2 * mark, 2 * mark);
      if (points.length) ends.push({ norm, x: points.at(-1)[0], y: points.at(-1)[1] });
    }
    nameEnds(pen, ends, height - FOOT - 6);
  }

  /**
   * Draw one quantity of every network over the steps of a chapter, up to the current step.
   * @param name "loss" or "accuracy"
   */
  function drawOverTime(canvas, chapter, now, name) {
    const drawn = paper(canvas);
    const { pen, width, height } = drawn;
    const [left, top] = [64, 26];
    const log = name === "loss";
    const placed = (value) => (log ? Math.log10(value) : value);
    const there = (value) => value !== null && (!log || value > 0);
    const values = chapter.frames.flatMap(({ networks: all }) => Object.values(all).map((network) => network[name])).filter(there).map(placed);
    const [low, high] = log ? [Math.min(...values) - 0.1, Math.max(...values) + 0.1] : [0, 1];
    const last = chapter.frames.at(-1).step;
    const across = width - left - NAMES;
    const x = (step) => left + (step / last) * across;
    const y = (value) => top + ((high - placed(value)) / (high - low)) * (height - top - FOOT);
    drawLevels(drawn, left, y, log ? powersOfTen(Math.ceil(low), Math.floor(high), 1) : [0, 0.5, 1].map((share) => [share, `${100 * share} %`]));
    for (let step = 0, apart = apartFor(last, across); step <= last; step += apart) pen.fillText(String(step), x(step), height - 4);
    for (const { step, values: moved } of chapter.changes) {
      if (step > now) continue;
      pen.strokeStyle = pen.fillStyle = style("--ink");
      pen.strokeRect(x(step), top - 4, 0, height - top - FOOT + 4);
      const [[knob, value]] = Object.entries(moved);
      pen.textAlign = "left";
      pen.fillText(from.replace("{knob}", knobs[knob] ?? knob).replace("{value}", value), x(step) + 6, top - 8);
    }
    const shown = chapter.frames.filter(({ step }) => step <= now);
    drawLines(drawn, chapter.norms, (norm) =>
      shown.map(({ step, networks: all }) => [step, all[norm][name]]).filter(([, value]) => there(value)).map(([step, value]) => [x(step), y(value)]), 0);
  }

  /** Write the names at the ends of the lines, so that no two names overlap and no name is below y = `lowest` px. */
  function nameEnds(pen, ends, lowest) {
    pen.setLineDash([]);
    pen.lineWidth = 1;
    pen.textAlign = "left";
    ends.sort((a, b) => a.y - b.y);
    let next = -Infinity;
    for (const end of ends) next = end.label = Math.max(end.y, next + APART);
    next = lowest + APART;
    for (const end of ends.toReversed()) next = end.label = Math.min(end.label, next - APART);
    for (const { norm, x, label } of ends) {
      pen.fillStyle = colour(norm);
      pen.fillText(networks[norm], x + 8, label + 6);
    }
  }

  /** Draw the norm of each layer's weight gradient at one step, from layer 1 on the left to the output on the right. */
  function drawGradients(canvas, chapter, { networks: all }) {
    const drawn = paper(canvas);
    const { pen, width, height } = drawn;
    const [left, top] = [76, 12];
    const powers = chapter.frames.flatMap((frame) => Object.values(frame.networks).flatMap(({ gradients }) => gradients)).filter((value) => value > 0).map(Math.log10);
    const [low, high] = [Math.floor(Math.min(...powers)), Math.ceil(Math.max(...powers))];
    const most = chapter.layers; // largest position on the axis; the output is to the right of the last layer
    const [across, up] = [width - left - NAMES - 40, height - top - FOOT];
    const x = (layer) => left + 20 + (layer / most) * across;
    const y = (value) => top + ((high - Math.log10(value)) / (high - low)) * up;
    drawLevels(drawn, left, y, powersOfTen(low, high, TICKS.find((ticks) => (26 * (high - low)) / ticks <= up) ?? high - low));
    for (let layer = 0, apart = apartFor(most, across); layer < most; layer += apart) pen.fillText(String(layer + 1), x(layer), height - 4);
    drawLines(drawn, chapter.norms, (norm) =>
      all[norm].gradients.map((value, layer) => [layer, value]).filter(([, value]) => value > 0).map(([layer, value]) => [x(layer), y(value)]), 3);
  }

  return { drawRows, drawGradients, drawOverTime };
}
