// Elements over a figure that move without redrawing it: the time cursor, the mark at the preset's opening step, the
// highlight of a layer, labels at the layer in which a network broke, buttons on layers, and the curves that a learner
// draws.

import { button, h, setHidden, setText } from "../lib/dom.js";
import { within } from "../lib/format.js";
import { capitalize } from "../lib/texts.js";
import { DrawnCurves } from "./drawn_curves.js";
import { HillDots } from "./hill_dots.js";

const NUMBERED = /^(?:layer|time) (\d+)$/; // pattern of the engine's layer names
const DISC = 24; // size in px of the disc that contains the layer's number
const LEAST = 320; // minimum width in px of a column that has space for words
const FLAT = 0.9; // a row is tinted if more than this share of its values is in the flat zone
const ABOVE = 4; // distance in px by which a button extends above the nodes
const BESIDE = 12; // distance in px between a network's name and the words about the network
const ARROWS = { ArrowLeft: -1, ArrowRight: 1 };

/** Place a vertical line `left` px from the left edge. The line spans the height of an axis. */
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
  #drawing = null; // the DrawnCurves, or null as long as the chart has none
  #dots = null; // the HillDots, or null if the page shows no images

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

  /**
   * Draw the parts that depend on the scene: marks at broken layers, buttons on nodes, dots, and curves drawn by a
   * learner.
   */
  draw(scene, view) {
    this.#callouts.draw(scene.frame, view.data.colours, view.coversLayer);
    this.#doors ??= new Doors(this.#frame, this.#patcher, this.#spec, view);
    this.#doors.draw();
    if (view.data.block?.images && this.#spec.bindings.some(({ kind }) => kind === "callout")) {
      this.#dots ??= new HillDots(this.#frame, this.#patcher, this.#spec, view);
      this.#dots.draw(scene);
    }
    const data = view.pageLayout?.drawing(this.#spec.name) ?? null;
    if (!data && !this.#drawing) return;
    this.#drawing ??= new DrawnCurves(this.#frame, (points) => view.script.tell("drawing", points));
    this.#drawing.update(data);
    const axes = data && this.#axesFor(data, view);
    if (axes) this.#drawing.draw(axes);
  }

  /**
   * Return the steps [first, last] on the axes of a chart over which a learner draws curves, or null for other charts.
   */
  stepsOf(view) {
    const data = view.pageLayout?.drawing(this.#spec.name);
    return data ? [0, data.last_step] : null;
  }

  /**
   * Return the axes of the chart's curves in pixels of the frame, in the form that `DrawnCurves.draw` needs, or null
   * before the first drawing.
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

  /** Show the time cursor at a step on every time axis, or hide it if `step` is null. */
  showCursor(step) {
    for (const { trace, line } of this.#cursors) this.#putAt(line, trace, step);
  }

  /** Mark the preset's opening step on every time axis, or hide the mark if `step` is null. */
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
   * Return the step under the pointer in a time chart, together with Plotly's axes of this chart, as {step, axis: the
   * horizontal axis, down: the vertical axis}. Return null if the pointer is not over a time chart.
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

  /** Highlight the row of the layer under the pointer, in every column. */
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
 * Marks at the layer in which a network broke. A row of a column ("callout") gets a tint and a disc with the layer's
 * number. A layer that is drawn as nodes ("nodecallout") gets a frame around its nodes, and words. Rows in which most
 * values are saturated also get a tint.
 */
class Callouts {
  #patcher;
  #parts;

  /** @param frame the positioned element around the figure */
  constructor(frame, patcher, spec) {
    this.#patcher = patcher;
    this.#parts = spec.bindings.filter(({ kind }) => kind === "callout" || kind === "nodecallout").map((binding) => {
      const atRow = binding.kind === "callout";
      const words = h(atRow ? "span.bnviz-first" : "span.bnviz-node-words", { hidden: true, "aria-hidden": atRow });
      const mark = h(atRow ? "b.bnviz-callout-number" : "div.bnviz-node-broken", { hidden: true, role: atRow && "img", "aria-hidden": !atRow });
      const tints = atRow ? binding.rows.map(() => h("div.bnviz-tint")) : [];
      frame.append(...tints, words, mark);
      return { binding, atRow, words, mark, tints, looks: "" };
    });
  }

  /**
   * Draw the marks for a frame.
   * @param frame the frame of the run that is shown
   * @param colours {text} by norm
   * @param hidden whether the page must hide the layer that broke
   */
  draw(frame, colours, hidden) {
    for (const part of this.#parts) {
      const { binding, atRow, words, mark, tints } = part;
      const found = hidden ? null : brokenRow(binding, frame);
      const [across, down] = [binding.x, binding.y].map((name) => this.#patcher.axisNamed(name));
      const there = Boolean(across?._length && down?._length);
      setHidden(words, !(found && there) || (atRow && (!binding.first || across._length < LEAST)));
      setHidden(mark, !(found && there));
      if (there) this.#tint(part, hidden ? null : frame.field(binding.field)?.data, found, across, down);
      if (!found || !there) continue;
      for (const element of [words, mark, ...tints]) element.style.setProperty("--colour", colours[binding.network].text);
      if (atRow) this.#drawAtRow(part, found, across, down);
      else this.#drawAtNodes(part, found, across, down);
    }
  }

  #tint(part, shares, found, across, down) {
    const { binding, tints } = part;
    const looks = [across._offset, across._length, down._offset, down._length, ...down.range].join();
    if (part.looks !== looks) {
      part.looks = looks;
      tints.forEach((tint, row) => {
        const [bottom, top] = [0, 1].map((up) => down._offset + down.d2p(row + 1 + binding.base + up));
        Object.assign(tint.style, { translate: `${across._offset}px ${top}px`, width: `${across._length}px`, height: `${bottom - top}px` });
      });
    }
    tints.forEach((tint, row) => {
      tint.classList.toggle("bnviz-tint-flat", shares?.[row] > FLAT);
      tint.classList.toggle("bnviz-tint-first", found?.number === row + 1);
    });
  }

  #drawAtRow(part, { number, words: sentence }, across, down) {
    const { binding, words, mark } = part;
    const text = capitalize(sentence.replace("\n", " "));
    setText(mark, String(number));
    mark.setAttribute("aria-label", text);
    mark.title = text;
    const middle = down._offset + down.d2p(number);
    // The disc is left of the row. In a narrow column that is not the first, the disc is inside the row, because the
    // numbers of the neighbouring column are at its left.
    const beside = across._length >= LEAST || part === this.#parts[0];
    mark.dataset.row = beside ? number : "";
    mark.style.translate = `${across._offset + (beside ? -DISC - 4 : 2)}px ${middle - DISC / 2}px`;
    setText(words, binding.first);
    words.style.translate = `${across._offset + across._length + binding.beside}px calc(${down._offset + down.d2p(number)}px - 50%)`;
  }

  #drawAtNodes({ binding, words, mark }, found, across, down) {
    const [left, right] = binding.spans[found.number - 1].map((value) => across._offset + across.d2p(value));
    const [bottom, top] = binding.reach.map((value) => down._offset + down.d2p(value));
    Object.assign(mark.style, { translate: `${left}px ${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
    setText(words, capitalize(found.words.replace("\n", " ")));
    this.#putBeside(words, binding.heading);
  }

  /** Put words after an annotation of the figure, on the same line. */
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
 * Return the row in which a network broke, as {number: from 1, words}. Return null if the network has not broken or the
 * layer is unknown.
 */
function brokenRow({ network, rows, words }, frame) {
  const broke = frame.networks[network]?.broke;
  const number = Number(NUMBERED.exec(broke?.layer ?? "")?.[1]);
  const name = number ? rows[number - 1] : undefined;
  const template = words[broke?.key];
  return name && template ? { number, words: template.replace("{layer}", name) } : null;
}

/**
 * Buttons on layers that are drawn as nodes (bindings of kind "doors"). Each button opens other charts for its layer.
 */
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

  /**
   * Create the buttons of a figure. The Tab key reaches them as one group, and arrow keys move the focus between them.
   */
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
    frame.removeAttribute("aria-hidden"); // the plot inside the frame stays hidden from screen readers
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
