// The charts of a recorded talk: canvases drawn from what was measured, on the page that player.js makes.
"use strict";
/**
 * @param networks names by norm
 * @param knobs names by knob
 * @param colour (norm) => the colour of its line
 * @param from the words at the change of a knob, with {knob} and {value}
 */
function recordedCharts({ networks, knobs, colour, from }) {
  const BINS = 64; // of a distribution
  const STRETCH = 1.6; // usual peaks fill two thirds of their row; higher ones are cut off
  const TICKS = [1, 2, 5, 10, 20, 50, 100, 200]; // steps from one number of an axis to the next
  const DASHES = [[10, 6], [], [3, 4], [14, 4, 3, 4]]; // of the networks' lines, in order
  const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const APART = 20; // px between the names at the ends of lines
  const REACH = Math.asinh(1000); // the axis of the distributions goes from −1000 to 1000
  const FLAT = { tanh: [Math.atanh(0.9)], sigmoid: [Math.log(19)] }; // where the activation is flat
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

  /** The distributions of the layers, the output on top, on an axis that is linear near 0; shaded where the activation is flat. */
  function drawRows(canvas, chapter, network, line) {
    const { pen, width, height } = paper(canvas);
    const rows = unpack(network.rows);
    const count = rows.length / BINS;
    const [left, foot] = [width < 420 ? 30 : 46, 26];
    const across = (bin) => left + (bin / BINS) * (width - left - 8);
    const on = (value) => left + ((Math.asinh(value) + REACH) / (2 * REACH)) * (width - left - 8);
    const row = (height - foot) / count;
    pen.fillStyle = style("--zone");
    for (const edge of FLAT[chapter.activation] ?? []) {
      pen.fillRect(left, 0, on(-edge) - left, height - foot);
      pen.fillRect(on(edge), 0, width - 8 - on(edge), height - foot);
    }
    pen.font = `${Math.min(20, Math.max(12, row - 2))}px system-ui, sans-serif`;
    pen.textBaseline = "alphabetic";
    const every = Math.ceil(22 / row);
    for (let layer = 0; layer < count; layer++) {
      const base = height - foot - layer * row;
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

  /** How many steps, or powers of ten, lie between two numbers of an axis, so that there is room for them. */
  const apartFor = (all, width) => TICKS.find((ticks) => (60 * all) / ticks <= width) ?? all;

  /** A power of ten as text. */
  const powerOfTen = (power) => (Math.abs(power) < 3 ? String(Number((10 ** power).toPrecision(1))) : `10${[...String(power)].map((digit) => RAISED[digit]).join("")}`);

  /** One measure of every network over the steps of a chapter, up to the present one. @param name "loss" or "accuracy" */
  function drawOverTime(canvas, chapter, now, name) {
    const { pen, width, height } = paper(canvas);
    const [left, foot, top] = [64, 26, 26];
    const log = name === "loss";
    const drawn = (value) => (log ? Math.log10(value) : value);
    const there = (value) => value !== null && (!log || value > 0);
    const values = chapter.frames.flatMap(({ networks: all }) => Object.values(all).map((network) => network[name])).filter(there).map(drawn);
    const [low, high] = log ? [Math.min(...values) - 0.1, Math.max(...values) + 0.1] : [0, 1];
    const last = chapter.frames.at(-1).step;
    const x = (step) => left + (step / last) * (width - left - 150);
    const y = (value) => top + ((high - drawn(value)) / (high - low)) * (height - top - foot);
    pen.font = "18px system-ui, sans-serif";
    pen.fillStyle = style("--quiet");
    pen.strokeStyle = style("--line");
    pen.textAlign = "right";
    const lines = log
      ? Array.from({ length: Math.floor(high) - Math.ceil(low) + 1 }, (_, i) => Math.ceil(low) + i).map((power) => [10 ** power, powerOfTen(power)])
      : [0, 0.5, 1].map((share) => [share, `${100 * share} %`]);
    for (const [value, written] of lines) {
      pen.fillText(written, left - 8, y(value) + 6);
      pen.strokeRect(left, y(value), width - left - 150, 0);
    }
    pen.textAlign = "center";
    const apart = apartFor(last, width - left - 150);
    for (let step = 0; step <= last; step += apart) pen.fillText(String(step), x(step), height - 4);
    for (const { step, values: moved } of chapter.changes) {
      if (step > now) continue;
      pen.strokeStyle = pen.fillStyle = style("--ink");
      pen.strokeRect(x(step), top - 4, 0, height - top - foot + 4);
      const [[knob, value]] = Object.entries(moved);
      pen.textAlign = "left";
      pen.fillText(from.replace("{knob}", knobs[knob] ?? knob).replace("{value}", value), x(step) + 6, top - 8);
    }
    pen.lineWidth = 3;
    const ends = [];
    for (const [i, norm] of chapter.norms.entries()) {
      const shown = chapter.frames.filter(({ step, networks: all }) => step <= now && there(all[norm][name]));
      pen.strokeStyle = pen.fillStyle = colour(norm);
      pen.setLineDash(DASHES[i % DASHES.length]);
      pen.beginPath();
      for (const { step, networks: all } of shown) pen.lineTo(x(step), y(all[norm][name]));
      pen.stroke();
      if (shown.length) ends.push({ norm, x: x(shown.at(-1).step), y: y(shown.at(-1).networks[norm][name]) });
    }
    nameEnds(pen, ends, height - foot - 6);
  }

  /** Write the names at the ends of lines, so that none overlap and none is below `lowest` px. */
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

  /** The norm of each layer's weight gradient at one step, from layer 1 at the left to the output. */
  function drawGradients(canvas, chapter, { networks: all }) {
    const { pen, width, height } = paper(canvas);
    const [left, foot, top] = [76, 26, 12];
    const powers = chapter.frames.flatMap((frame) => Object.values(frame.networks).flatMap(({ gradients }) => gradients)).filter((value) => value > 0).map(Math.log10);
    const [low, high] = [Math.floor(Math.min(...powers)), Math.ceil(Math.max(...powers))];
    const most = chapter.layers; // the output stands after the last one
    const x = (layer) => left + 20 + (layer / most) * (width - left - 190);
    const y = (value) => top + ((high - Math.log10(value)) / (high - low)) * (height - top - foot);
    pen.font = "18px system-ui, sans-serif";
    pen.fillStyle = style("--quiet");
    pen.strokeStyle = style("--line");
    pen.textAlign = "right";
    const between = TICKS.find((ticks) => (26 * (high - low)) / ticks <= height - top - foot) ?? high - low;
    for (let power = high; power >= low; power -= between) {
      pen.fillText(powerOfTen(power), left - 8, y(10 ** power) + 6);
      pen.strokeRect(left, y(10 ** power), width - left - 150, 0);
    }
    pen.textAlign = "center";
    const apart = apartFor(most, width - left - 190);
    for (let layer = 0; layer < most; layer += apart) pen.fillText(String(layer + 1), x(layer), height - 4);
    pen.lineWidth = 3;
    const ends = [];
    for (const [i, norm] of chapter.norms.entries()) {
      const shown = all[norm].gradients.map((value, layer) => ({ value, layer })).filter(({ value }) => value > 0);
      pen.strokeStyle = pen.fillStyle = colour(norm);
      pen.setLineDash(DASHES[i % DASHES.length]);
      pen.beginPath();
      for (const { value, layer } of shown) pen.lineTo(x(layer), y(value));
      pen.stroke();
      for (const { value, layer } of shown) pen.fillRect(x(layer) - 3, y(value) - 3, 6, 6);
      if (shown.length) ends.push({ norm, x: x(shown.at(-1).layer), y: y(shown.at(-1).value) });
    }
    nameEnds(pen, ends, height - foot - 6);
  }

  return { drawRows, drawGradients, drawOverTime };
}
