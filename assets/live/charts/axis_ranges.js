// Ranges of a figure's automatic axes. Plotly would choose a new range for every frame and redraw all ticks. Here each
// range extends beyond the data, so that it stays the same for most frames.

const ROOM = 0.06; // free space beyond the data, as a share of their span
const ROOM_AHEAD = 0.1; // free space at the upper end of an axis that starts at 0, as a share of the data's span
const LOOSE = 0.55; // minimum share of a range that the data must fill; below it, the range is replaced

export class AxisRanges {
  #element;
  #axes;
  #before = null; // axis name → its range before `focus`, or null if no axis is in focus

  /**
   * @param element element in which Plotly has drawn the figure
   * @param layout layout of the figure's template
   */
  constructor(element, layout) {
    this.#element = element;
    this.#axes = axesOf(layout)
      // An axis of categories keeps the range that Plotly chooses.
      .filter(([, axis]) => axis.autorange === true && axis.type !== "category")
      .map(([name, axis]) => ({ name, options: axis, managed: true, first: axis.matches ? axisName(axis.matches) : name }));
    element.on?.("plotly_relayout", (changes) => this.#zoomed(changes));
  }

  /**
   * Do not change an axis after the reader has zoomed it, until a double click makes it automatic again. Plotly reports
   * a zoom as one change for each end of the range.
   */
  #zoomed(changes) {
    for (const axis of this.#axes) {
      if (changes[`${axis.name}.autorange`]) axis.managed = true;
      else if (`${axis.name}.range[0]` in changes) axis.managed = false;
    }
  }

  /**
   * Set a temporary range on some axes, or restore their previous ranges.
   * @param names of the axes
   * @param range [low, high], or null to restore the previous ranges
   * @returns layout changes with dotted keys, such as {"xaxis.range": …}, or an empty object if nothing changes
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
   * Return the new axis ranges that new data require.
   * @param changes Map from trace number to its new attributes, which are not drawn yet
   * @param reach Map from axis name to a value that the axis must include once it has data
   * @param ends Map from axis name to an upper end: the range is [0, end] until the data exceed the end
   * @param least Map from axis name to values that the axis always shows, even without data
   * @returns {"xaxis.range": [low, high], …}, or an empty object if all ranges can stay
   */
  needed(changes, reach = new Map(), ends = new Map(), least = new Map()) {
    const out = {};
    const bounds = new Map(); // keyed by the first axis of a group, because matching axes share one range
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
      // Without data and without values to include, there is no range.
      if (low > high && !(options.autorangeoptions?.include?.length > 1)) continue;
      const range = bestRange([low, high], axis, options);
      if (range) out[`${name}.range`] = range;
    }
    return out;
  }

  /** Smallest and largest value on an axis (as log10 on a logarithmic axis), or [∞, −∞] if the axis has no data. */
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

/** Return the position of a value in the units of the axis range. */
const placeOn = ({ type }, value) => (type === "log" ? Math.log10(value) : Number(value));

/** Return whether the range of an axis is fixed to [0, end]. */
const endsAt = (end, { range, autorange }) => autorange === false && String(range) === String([0, end]);

/** Return the axes of a layout as [name, options] pairs. */
export function axesOf(layout) {
  return Object.entries(layout).filter(([name]) => /^[xy]axis\d*$/.test(name));
}

/** Return the layout's name for an axis id, such as "yaxis3" for "y3". */
export function axisName(id) {
  return id.replace(/^([xy])/, "$1axis");
}

/**
 * Return a range for data from `low` to `high`, or null if the present range can stay. If there are no data, `low` is ∞
 * and `high` is −∞.
 * @param options the axis's options in the template
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
