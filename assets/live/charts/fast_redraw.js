// Redraw traces several times faster than `Plotly.restyle`.
//
// A restyle goes through every default, margin, axis and tick of the figure again. When only x, y and
// text of visible scatter traces change, computing and plotting the traces is all there is to do, and
// where an axis gets another range, a relayout of ranges alone, which skips the rest as well. This
// uses Plotly's inner modules, so every precondition is checked, and whatever is not met goes
// through `Plotly.update`.

const ATTRIBUTES = new Set(["x", "y", "text"]);

/**
 * @param changes Map from trace number to {attribute: value}
 * @param ranges {"xaxis.range": [low, high], …} for axes that have to move
 * @returns whether everything was drawn
 */
export function fastRedraw(Plotly, element, changes, ranges) {
  if (!possible(element, changes, ranges)) return false;
  let styled = true;
  for (const [index, values] of changes) {
    const full = element._fullData[index];
    const before = shape(full);
    Object.assign(element.data[index], values);
    Object.assign(full, values);
    full._length = Math.min(full.x.length, full.y.length);
    element.calcdata[index] = compute(element, full);
    styled &&= before === shape(full);
  }
  if (Object.keys(ranges).length) Plotly.relayout(element, ranges);
  else for (const base of element._fullLayout._basePlotModules) base.plot(element);
  if (!styled) style(element, changes);
  return true;
}

/** What decides how many elements a trace is drawn with; new elements have no style yet. */
function shape({ mode, x, y }) {
  let gaps = 0;
  for (const value of y) if (value === null) gaps += 1;
  if (mode === "lines") return gaps;
  for (const value of x) if (value === null) gaps += 1;
  return `${x.length}|${gaps}`; // a point without a place has no element
}

function style(element, changes) {
  const [first] = changes.keys();
  element._fullData[first]._module.style(element);
}

/** What Plotly's own pass over all traces does with one of them. */
function compute(element, full) {
  full._extremes = {};
  const points = full._module.calc(element, full);
  points[0].t ??= {};
  points[0].trace = full;
  return points;
}

function possible(element, changes, ranges) {
  const layout = element._fullLayout;
  if (!element.calcdata || !layout?._basePlotModules?.every((base) => base.plot)) return false;
  for (const [index, values] of changes) {
    const full = element._fullData?.[index];
    if (full?.type !== "scatter" || full.visible !== true || full.stackgroup) return false;
    if (!full._module?.calc || !full._module.style) return false;
    for (const [name, value] of Object.entries(values)) {
      if (!ATTRIBUTES.has(name) || !Array.isArray(value) || !value.length) return false;
    }
    if (![full.xaxis, full.yaxis].every((id) => settled(layout, id, ranges))) return false;
  }
  return true;
}

/** Whether an axis has a range that its traces do not decide. */
function settled(layout, id, ranges) {
  const name = id.replace(/^([xy])/, "$1axis");
  const axis = layout[name];
  const given = axis?.autorange === false || `${name}.range` in ranges;
  return given && (axis.type === "linear" || axis.type === "log");
}
