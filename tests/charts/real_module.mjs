// Run the browser's own modules without a browser. A line of stdin is either a chart to fill, for which the program
// writes the traces, or an expression that uses a module, for which it writes the value. A stand-in for Plotly stores
// its input and draws nothing.

import { registerHooks } from "node:module";
import { createInterface } from "node:readline";

// The contract module that the server generates. Its text is the argument of this program.
const contract = { url: `data:text/javascript,${encodeURIComponent(process.argv[2])}`, shortCircuit: true };
const assets = new URL("../../assets/", import.meta.url);
registerHooks({
  resolve: (name, context, next) =>
    name.endsWith("/contract.js") ? contract : next(name.replace("/assets/v1/", assets), context),
});
const { Patcher } = await import("../../assets/live/charts/patcher.js");
const { Store } = await import("../../assets/live/data/store.js");

const opened = new Map(); // open charts by key

const Plotly = {
  newPlot: (element, data) => Object.assign(element, { data }),
  update(element, changes, layout, traces) {
    for (const [name, values] of Object.entries(changes)) {
      traces.forEach((trace, i) => values[i] !== undefined && put(element.data[trace], name, values[i]));
    }
  },
};

/** Set a trace's attribute. The attribute's name may be a path with dots. */
function put(trace, name, value) {
  const path = name.split(".");
  const last = path.pop();
  path.reduce((part, key) => (part[key] ??= {}), trace)[last] = value;
}

async function open({ bindings, figure, selectors }, selected) {
  const defaults = Object.fromEntries(selectors.map((selector) => [selector.name, selector.default]));
  // Only Plotly computes axis ranges and pixel positions. If the layout is empty, the modules change neither.
  const spec = { bindings, figure: { data: figure.data, layout: {} } };
  const patcher = new Patcher(Plotly, {}, spec, { ...defaults, ...selected });
  await patcher.mount();
  return { patcher, store: new Store("", "", 1) };
}

async function fill({ chart, frames, shown, selected, key }) {
  const isNew = !opened.has(key);
  const { patcher, store } = isNew ? await open(chart, selected) : opened.get(key);
  if (key) opened.set(key, { patcher, store });
  const draw = (frame) => patcher.draw({ frame, live: store.live, step: frame.step, store });
  if (isNew) {
    store.takeFrame(frames[0]);
    draw(store.live); // from this call on, the store keeps the values that the lines of the chart need
  }
  for (const message of frames) store.takeFrame(message);
  draw(await store.fetchFrame(frames.at(shown).seq));
  return patcher.element.data;
}

/** Return the value of an expression in which `m` is a module and `a` an argument. */
async function evaluate({ module, expression, argument }) {
  const m = await import(new URL(`live/${module}.js`, assets));
  return new Function("m", "a", `return ${expression}`)(m, argument);
}

/** Convert numbers that JSON cannot represent to strings. */
function plain(name, value) {
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  const work = asked.module ? evaluate(asked) : fill(asked);
  const answer = await work.then((data) => ({ data }), ({ stack }) => ({ error: stack }));
  console.log(JSON.stringify(answer, plain));
}
