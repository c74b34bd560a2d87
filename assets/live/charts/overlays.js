// Elements over a figure, which move without a redraw of the figure: the time cursor, the step of the preset,
// the layer under the pointer, labels at the layer in which a network broke, buttons on layers, and the curve
// of a learner.

import { button, h, setHidden, setText } from "../lib/dom.js";
import { within } from "../lib/format.js";
import { capitalize } from "../lib/texts.js";
import { DrawnCurves } from "./drawn_curves.js";

const NUMBERED = /^(?:layer|time) (\d+)$/; // the engine's name of a layer
const DISC = 20; // px, size of the disc with the layer's number
const ASIDE = 5; // px between words and the column's edge
const LEAST = 320; // px: a column narrower than that has no room for words
const TWO_LINES = 42; // px: height of a row with room for two lines
const ABOVE = 4; // px by which a button is higher than the nodes
const BESIDE = 12; // px between a network's name and the words about it
const ARROWS = { ArrowLeft: -1, ArrowRight: 1 };

/** Put a vertical line at so many pixels from the left, as high as an axis. */
export function putLine(line, left, { _offset: top, _length: height }) {
  Object.assign(line.style, { transform: `translateX(${left}px)`, top: `${top}px`, height: `${height}px` });
}

/** All overlays of one figure. */
export class Overlays {
  #patcher;
  #frame;
  #cursors;
  #row = h("div.bnviz-row", { hidden: true });
  #rows;
  #callouts;
  #doors = null;
  #spec;
  #drawing = null; // the DrawnCurves, once there are some

  /** @param frame the positioned element around the figure */
  constructor(frame, patcher, spec) {
    this.#patcher = patcher;
    this.#frame = frame;
    this.#spec = spec;
    this.#cursors = spec.bindings
      .filter(({ kind }) => kind === "cursor")
      .map(({ trace }) => ({
        trace,
        line: h("div.bnviz-cursor", { hidden: true }),
        look: h("div.bnviz-look", { hidden: true }),
      }));
    this.#callouts = new Callouts(frame, patcher, spec);
    this.#rows = spec.bindings.filter(({ kind }) => kind === "rows");
    frame.append(...this.#cursors.flatMap(({ look, line }) => [look, line]), this.#row);
  }

  /** Draw what depends on the scene: callouts, buttons on nodes, and a drawn curve. */
  draw(scene, view) {
    this.#callouts.draw(scene.frame, view.data.colours, view.coversLayer);
    this.#doors ??= new Doors(this.#frame, this.#patcher, this.#spec, view);
    this.#doors.draw();
    const data = view.pageLayout?.drawing(this.#spec.name) ?? null;
    if (!data && !this.#drawing) return;
    this.#drawing ??= new DrawnCurves(this.#frame, (points) => view.script.tell("drawing", points));
    this.#drawing.update(data);
    const axes = data && this.#axesFor(data, view);
    if (axes) this.#drawing.draw(axes);
  }

  /** The steps on the axes of a chart over which a curve is drawn, [first, last]; null for other charts. */
  stepsOf(view) {
    const data = view.pageLayout?.drawing(this.#spec.name);
    return data ? [0, data.last_step] : null;
  }

  /**
   * The axes of the chart's curves in pixels of the frame, as `DrawnCurves.draw` needs them; null before the
   * first drawing.
   */
  #axesFor({ network }, view) {
    const { trace } = this.#spec.bindings.find(({ kind }) => kind === "series");
    const [across, down] = this.#patcher.axes(trace);
    if (!across?._length || !down?._length) return null;
    return {
      x: (step) => across._offset + across.d2p(step), y: (value) => down._offset + down.d2p(value),
      value: (y) => down.p2d(y - down._offset), left: across._offset, right: across._offset + across._length,
      top: down._offset, bottom: down._offset + down._length, colour: view.data.colours[network]?.text,
    };
  }

  /** Show the time cursor at a step on every time axis; null hides it. */
  showCursor(step) {
    for (const { trace, line } of this.#cursors) this.#putAt(line, trace, step);
  }

  /** Mark the step of the preset on every time axis; null hides the mark. */
  showStepToSee(step) {
    for (const { trace, look } of this.#cursors) this.#putAt(look, trace, step);
  }

  #putAt(line, trace, step) {
    const [axis, down] = this.#patcher.axes(trace);
    const at = step === null || !axis ? NaN : axis.d2p(step);
    const inside = at >= 0 && at <= axis?._length;
    setHidden(line, !inside);
    if (inside) putLine(line, axis._offset + at, down);
  }

  /**
   * The step under a pointer over a time chart and Plotly's axes there, {step, axis, down}; null elsewhere.
   */
  pointAt(event) {
    const box = this.#frame.getBoundingClientRect();
    for (const { trace } of this.#cursors) {
      const [axis, down] = this.#patcher.axes(trace);
      if (!axis) continue;
      const at = event.clientX - box.left - axis._offset;
      const y = event.clientY - box.top - down._offset;
      if (at < -4 || at > axis._length + 4 || y < 0 || y > down._length) continue;
      const step = Math.max(0, Math.round(axis.p2d(within(at, 0, axis._length))));
      return { step, axis, down };
    }
    return null;
  }

  /** Highlight the layer under the pointer, in every column. */
  highlightRow(event) {
    for (const { axis: name, centres, half } of this.#rows) {
      const axis = this.#patcher.axisNamed(name);
      if (!axis) continue;
      const box = this.#frame.getBoundingClientRect();
      const y = axis.p2d(event.clientY - box.top - axis._offset);
      const row = centres.findIndex((centre) => Math.abs(y - centre) <= half);
      this.#row.hidden = row < 0;
      if (row < 0) continue;
      const [a, b] = [centres[row] + half, centres[row] - half].map((v) => axis.d2p(v) + axis._offset);
      this.#row.style.top = `${Math.min(a, b)}px`;
      this.#row.style.height = `${Math.abs(b - a)}px`;
    }
  }

  hideRow() {
    this.#row.hidden = true;
  }
}

/**
 * What stands where a network broke: at a row of a column a disc with the number of the layer ("callout"), at a layer that is
 * drawn as nodes a frame around these ("nodecallout"); and words about it.
 */
class Callouts {
  #patcher;
  #parts;

  /** @param frame the positioned element around the figure */
  constructor(frame, patcher, spec) {
    this.#patcher = patcher;
    this.#parts = spec.bindings.filter(({ kind }) => kind === "callout" || kind === "nodecallout").map((binding) => {
      const atRow = binding.kind === "callout";
      const words = h(atRow ? "span.bnviz-callout" : "span.bnviz-node-words", { hidden: true, "aria-hidden": !atRow });
      const mark = h(atRow ? "b.bnviz-callout-number" : "div.bnviz-node-broken", { hidden: true, "aria-hidden": !atRow });
      frame.append(words, mark);
      return { binding, atRow, words, mark, measured: "", width: 0 };
    });
  }

  /**
   * @param frame the frame shown
   * @param colours {text} by norm
   * @param hidden whether the page must not show the layer
   */
  draw(frame, colours, hidden) {
    for (const part of this.#parts) {
      const { binding, atRow, words, mark } = part;
      const found = hidden ? null : brokenRow(binding, frame);
      const [across, down] = [binding.x, binding.y].map((name) => this.#patcher.axisNamed(name));
      const shown = Boolean(found && across?._length && down?._length);
      setHidden(words, !shown || (atRow && across._length < LEAST));
      setHidden(mark, !shown);
      if (!shown) continue;
      for (const element of [words, mark]) element.style.setProperty("--colour", colours[binding.network].text);
      if (atRow) this.#drawAtRow(part, found, across, down, frame);
      else this.#drawAtNodes(part, found, across, down);
    }
  }

  #drawAtRow(part, found, across, down, frame) {
    const { binding, words, mark } = part;
    // The words are in one line where a row is too low for two.
    const low = Math.abs(down.d2p(1) - down.d2p(0)) < TWO_LINES;
    const { number } = found;
    const text = capitalize(low ? found.words.replace("\n", " ") : found.words);
    setText(words, text);
    const measured = `${text} ${across._length}`;
    if (measured !== part.measured) Object.assign(part, { measured, width: words.offsetWidth });
    setText(mark, String(number));
    const y = down._offset + down.d2p(number);
    // The disc is left of the row; in a narrow column, beside which there are numbers of its neighbour, it is within.
    const beside = across._length >= LEAST || part === this.#parts[0];
    mark.style.translate = `${across._offset + (beside ? -DISC - 4 : 2)}px ${y - DISC / 2}px`;
    const free = freeSide(frame.field(binding.field), number - 1, (part.width + ASIDE) / across._length);
    const left = free === "left" ? across._offset + ASIDE : across._offset + across._length - ASIDE - part.width;
    words.style.translate = `${left}px calc(${y}px - 50%)`;
  }

  #drawAtNodes({ binding, words, mark }, found, across, down) {
    const [left, right] = binding.spans[found.number - 1].map((value) => across._offset + across.d2p(value));
    const [bottom, top] = binding.reach.map((value) => down._offset + down.d2p(value));
    Object.assign(mark.style, { translate: `${left}px ${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
    setText(words, capitalize(found.words.replace("\n", " ")));
    this.#putBeside(words, binding.heading);
  }

  /** Put words behind an annotation of the figure, on the same line. */
  #putBeside(words, annotation) {
    const { element } = this.#patcher;
    const looks = `${element.clientWidth} ${element.clientHeight}`;
    if (words.dataset.looks === looks) return;
    const heading = element.querySelector(`.annotation[data-index="${annotation}"] text`)?.getBoundingClientRect();
    if (!heading) return;
    words.dataset.looks = looks;
    const from = element.getBoundingClientRect();
    words.style.translate = `${heading.right - from.left + BESIDE}px ${heading.bottom - from.top}px`;
  }
}

/**
 * The row in which a network broke, {number: from 1, words}; null when it has not, or the layer is not known.
 */
function brokenRow({ network, rows, words }, frame) {
  const broke = frame.networks[network]?.broke;
  const number = Number(NUMBERED.exec(broke?.layer ?? "")?.[1]);
  const name = number ? rows[number - 1] : undefined;
  const template = words[broke?.key];
  return name && template ? { number, words: template.replace("{layer}", name) } : null;
}

/**
 * The side of a histogram's row, "left" or "right", on which words cover fewer values.
 *
 * @param share width of the words, of the row's
 */
function freeSide(histogram, row, share) {
  if (!histogram) return "left";
  const bins = histogram.shape.at(-1);
  const counts = [...histogram.data.subarray(row * bins, (row + 1) * bins)];
  const covered = Math.ceil(share * bins);
  const sum = (values) => values.reduce((all, count) => all + count, 0);
  return sum(counts.slice(0, covered)) <= sum(counts.slice(-covered)) ? "left" : "right";
}

/** The buttons on layers that are drawn as nodes, which open other charts for them: bindings of kind "doors". */
class Doors {
  #patcher;
  #view;
  #doors;

  /** @param frame the positioned element around the figure */
  constructor(frame, patcher, spec, view) {
    this.#patcher = patcher;
    this.#view = view;
    const doors = spec.bindings.filter(({ kind, opens }) => kind === "doors" && view.charts.has(opens));
    this.#doors = doors.map((binding) => this.#buttons(frame, binding));
  }

  /** The buttons of a figure are one tab stop; arrow keys move the focus between them. */
  #buttons(frame, binding) {
    const { names, label, opens, selector } = binding;
    const buttons = names.map((name, i) => {
      const words = capitalize(label.replace("{name}", name));
      const open = () => this.#view.charts.openAt(opens, selector, i);
      return button("", open, { className: "bnviz-door", title: words, aria: words, tabindex: i ? -1 : 0 });
    });
    const group = h("div.bnviz-doors", { role: "group", "aria-label": frame.closest("section").getAttribute("aria-label"), onkeydown: (event) => moveFocus(event, buttons) }, buttons);
    group.addEventListener("focusin", ({ target }) => {
      for (const door of buttons) door.tabIndex = door === target ? 0 : -1;
    });
    frame.removeAttribute("aria-hidden"); // the plot within stays hidden from screen readers
    frame.append(group);
    return { binding, buttons };
  }

  draw() {
    for (const { binding, buttons } of this.#doors) this.#placeButtons(binding, buttons);
  }

  #placeButtons({ x, spans, opens, selector }, buttons) {
    const axis = this.#patcher.axisNamed(x);
    if (!axis?._length) return;
    const { t = 0, h: high = 0 } = this.#patcher.element._fullLayout._size ?? {};
    const chosen = this.#view.charts.chosenIn(opens[0], selector);
    buttons.forEach((button, i) => {
      const [left, right] = spans[i].map((value) => axis._offset + axis.d2p(value));
      const from = Math.max(0, left);
      Object.assign(button.style, { left: `${from}px`, width: `${right - from}px`, top: `${t - ABOVE}px`, height: `${high + ABOVE}px` });
      button.setAttribute("aria-pressed", chosen === i);
    });
  }
}

/** Move the focus between buttons with arrow keys, Home and End. */
function moveFocus(event, buttons) {
  const at = buttons.indexOf(event.target);
  const to = { Home: 0, End: buttons.length - 1 }[event.key] ?? at + (ARROWS[event.key] ?? NaN);
  if (!buttons[to]) return;
  event.preventDefault();
  buttons[to].focus();
}
