// Ranges of the axes that a chart leaves open. Plotly would find a new one for every frame and then
// draw every tick again; these keep some room, so that most frames leave the axes alone.

const ROOM = 0.06; // of the span, beyond the data
const ROOM_AHEAD = 0.1; // of the steps, on an axis that starts at 0
const LOOSE = 0.55; // a range is kept while the data fill at least this share of it

export class Ranges {
  #element;
  #axes;
  #before = null; // ranges to go back to, while some steps are in focus

  /** @param element a figure Plotly has drawn */
  constructor(element, layout) {
    this.#element = element;
    this.#axes = Object.entries(layout)
      // Categories have a place each, and Plotly makes room for all of them.
      .filter(([name, axis]) => /^[xy]axis\d*$/.test(name) && axis?.autorange === true && axis.type !== "category")
      .map(([name, axis]) => ({ name, options: axis, managed: true, first: nameOf(axis.matches) ?? name }));
    element.on?.("plotly_relayout", (changes) => this.#zoomed(changes));
  }

  /** A zoom is the reader's, told end by end; a double click gives the axis back. */
  #zoomed(changes) {
    for (const axis of this.#axes) {
      if (changes[`${axis.name}.autorange`]) axis.managed = true;
      else if (`${axis.name}.range[0]` in changes) axis.managed = false;
    }
  }

  /**
   * Give axes a range for a while.
   *
   * @param names axes; @param range [low, high], or null to go back
   * @returns layout changes, empty where nothing changes
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
   * Layout changes that the data ask for.
   *
   * @param changes Map from trace number to new attributes, not drawn yet
   * @param reach Map from an axis to a value it is to show though no data are there
   * @returns {"xaxis.range": [low, high], …}, empty when all ranges can stay
   */
  needed(changes, reach = new Map()) {
    const out = {};
    const bounds = new Map(); // axes that match have one range, for the data of all of them
    for (const { name, first } of this.#axes) {
      const [low, high] = bounds.get(first) ?? [Infinity, -Infinity];
      const [least, most] = this.#bounds(name, this.#element._fullLayout[name], changes);
      const far = least > most ? most : Math.max(most, reach.get(name) ?? most);
      bounds.set(first, [Math.min(low, least), Math.max(high, far)]);
    }
    const zoomed = new Set(this.#axes.filter(({ managed }) => !managed).map(({ first }) => first));
    for (const { name, first, options } of this.#axes) {
      const [low, high] = bounds.get(first);
      if (zoomed.has(first) || this.#before?.has(name) || low > high) continue;
      const range = bestRange([low, high], this.#element._fullLayout[name], options);
      if (range) out[`${name}.range`] = range;
    }
    return out;
  }

  /** Smallest and largest value on an axis, in the units of its range; [∞, −∞] without any. */
  #bounds(name, axis, changes) {
    const letter = name[0];
    let [low, high] = [Infinity, -Infinity];
    this.#element._fullData.forEach((full, i) => {
      if (full[`${letter}axis`] !== axis._id || full.mode === "text" || full.visible === "legendonly") return;
      for (const value of changes.get(i)?.[letter] ?? this.#element.data[i][letter] ?? []) {
        const place = value === null ? NaN : axis.type === "log" ? Math.log10(value) : Number(value);
        if (place < low && Number.isFinite(place)) low = place;
        if (place > high && Number.isFinite(place)) high = place;
      }
    });
    return [low, high];
  }
}

/** What the layout calls an axis: "y3" is "yaxis3". */
function nameOf(id) {
  return id?.replace(/^([xy])/, "$1axis");
}

/** A range for data between two bounds, or null to keep the present one. */
export function bestRange([low, high], axis, { rangemode, autorangeoptions = {} }) {
  const { include = [], minallowed = -Infinity, maxallowed = Infinity } = autorangeoptions;
  const all = [low, high, ...[include].flat()];
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
