// The ranges of a figure's automatic axes. Plotly would choose a new range for every frame and draw all ticks
// again; here a range has some spare room, so that it stays the same for most frames.

const ROOM = 0.06; // spare room beyond the data, as a share of their span
const ROOM_AHEAD = 0.1; // the same at the upper end of an axis that starts at 0
const LOOSE = 0.55; // a range stays while the data fill at least this share of it

export class AxisRanges {
  #element;
  #axes;
  #before = null; // axis → range, while others are in focus

  /** @param element in which Plotly has drawn the figure; @param layout of its template */
  constructor(element, layout) {
    this.#element = element;
    this.#axes = axesOf(layout)
      // For axes of categories Plotly's range is right.
      .filter(([, axis]) => axis.autorange === true && axis.type !== "category")
      .map(([name, axis]) => ({ name, options: axis, managed: true, first: axis.matches ? axisName(axis.matches) : name }));
    element.on?.("plotly_relayout", (changes) => this.#zoomed(changes));
  }

  /**
   * After a zoom (told end by end) the range is the reader's; a double click makes the axis automatic again.
   */
  #zoomed(changes) {
    for (const axis of this.#axes) {
      if (changes[`${axis.name}.autorange`]) axis.managed = true;
      else if (`${axis.name}.range[0]` in changes) axis.managed = false;
    }
  }

  /**
   * Give axes another range for a time.
   *
   * @param names of the axes
   * @param range [low, high]; null: the ranges from before
   * @returns flat changes of the layout, empty where nothing changes
   */
  focus(names, range) {
    const out = {};
    if (range) {
      this.#before ??= new Map(names.map((name) => [name, this.#element._fullLayout[name].range.slice()]));
      for (const name of names) {
        if (String(this.#element._fullLayout[name].range) !== String(range)) out[`${name}.range`] = range;
      }
    } else if (this.#before) {
      for (const [name, before] of this.#before) out[`${name}.range`] = before;
      this.#before = null;
    }
    return out;
  }

  /**
   * The changes of ranges that new data need.
   *
   * @param changes Map from trace number to its new attributes, not drawn yet
   * @param reach Map from the name of an axis to a value that it has to include
   * @param ends Map from the name of an axis to the value at which it ends as long as no data lie beyond: its range then
   *   is the same from the start
   * @param least Map from the name of an axis to values that it shows, with data and without
   * @returns {"xaxis.range": [low, high], …}, empty when all ranges can stay
   */
  needed(changes, reach = new Map(), ends = new Map(), least = new Map()) {
    const out = {};
    const bounds = new Map(); // axes that match share one range
    for (const { name, first } of this.#axes) {
      const [low, high] = bounds.get(first) ?? [Infinity, -Infinity];
      const axis = this.#element._fullLayout[name];
      const [near, most] = this.#bounds(name, axis, changes);
      const far = near > most ? most : Math.max(most, reach.get(name) ?? most);
      const shown = (least.get(name) ?? []).map((value) => placeOn(axis, value));
      bounds.set(first, [Math.min(low, near, ...shown), Math.max(high, far, ...shown)]);
    }
    const zoomed = new Set(this.#axes.filter(({ managed }) => !managed).map(({ first }) => first));
    for (const { name, first, options } of this.#axes) {
      const [low, high] = bounds.get(first);
      if (zoomed.has(first) || this.#before?.has(name)) continue;
      const axis = this.#element._fullLayout[name], end = ends.get(name);
      if (high <= end) {
        if (!endsAt(end, axis)) out[`${name}.range`] = [0, end];
        continue;
      }
      if (low > high && !(options.autorangeoptions?.include?.length > 1)) continue; // nothing says where it is
      const range = bestRange([low, high], axis, options);
      if (range) out[`${name}.range`] = range;
    }
    return out;
  }

  /**
   * The smallest and the largest value on an axis, as logarithms on a logarithmic one; [∞, −∞] without data.
   */
  #bounds(name, axis, changes) {
    const letter = name[0];
    let [low, high] = [Infinity, -Infinity];
    this.#element._fullData.forEach((full, i) => {
      if (full[`${letter}axis`] !== axis._id || full.mode === "text" || full.visible === "legendonly") return;
      for (const value of changes.get(i)?.[letter] ?? this.#element.data[i][letter] ?? []) {
        const place = value === null ? NaN : placeOn(axis, value);
        if (place < low && Number.isFinite(place)) low = place;
        if (place > high && Number.isFinite(place)) high = place;
      }
    });
    return [low, high];
  }
}

/** Where a value is in the range of an axis. */
const placeOn = ({ type }, value) => (type === "log" ? Math.log10(value) : Number(value));

/** Whether an axis has the range from 0 to an end. */
const endsAt = (end, { range, autorange }) => autorange === false && String(range) === String([0, end]);

/** The axes of a layout, [name, options]. */
export function axesOf(layout) {
  return Object.entries(layout).filter(([name]) => /^[xy]axis\d*$/.test(name));
}

/** The layout's name of an axis: "yaxis3" for "y3". */
export function axisName(id) {
  return id.replace(/^([xy])/, "$1axis");
}

/**
 * A range for data between two bounds, or for none ([∞, −∞]); null: the present one can stay.
 *
 * @param options of the axis in the template
 */
export function bestRange([low, high], axis, { rangemode, autorangeoptions = {} }) {
  const { include = [], minallowed = -Infinity, maxallowed = Infinity } = autorangeoptions;
  const all = [low, high, ...[include].flat()].filter(Number.isFinite);
  if (rangemode === "tozero") all.push(0);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const ahead = rangemode === "tozero";
  const span = most - least || 1;
  const [from, to] = axis.range;
  const inside = from <= Math.max(least, minallowed) && Math.min(most, maxallowed) <= to;
  const fills = span >= (to - from) * LOOSE;
  if (axis.autorange === false && inside && fills) return null;
  return [
    Math.max(minallowed, ahead && least === 0 ? 0 : least - ROOM * span),
    Math.min(maxallowed, most + (ahead ? ROOM_AHEAD : ROOM) * span),
  ];
}
