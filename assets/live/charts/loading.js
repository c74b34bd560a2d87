// Loaders of Plotly and of the chart templates that the server has built. Both are cached until the page is closed.

const WAITS = [300, 1000, 3000]; // waiting times in ms before the second, third and fourth attempt to load templates
const MOST = 8; // maximum number of template sets in the cache

let plotly = null; // promise
const templates = new Map(); // promise of the templates at each address, least recently used first

/**
 * Load Plotly from the server's own copy. Streamlit bundles another version and may set `window.Plotly` at any time, so
 * this function returns our copy and restores the previous value of `window.Plotly`.
 *
 * @returns promise of Plotly. It is rejected if the script cannot be loaded, and the next call tries again.
 */
export function loadPlotly(base, version) {
  plotly ??= new Promise((resolve, reject) => {
    const before = window.Plotly;
    const script = document.createElement("script");
    script.src = plotlyUrl(base, version);
    script.addEventListener("load", () => {
      resolve(window.Plotly);
      if (before) window.Plotly = before;
    });
    script.addEventListener("error", () => {
      script.remove();
      plotly = null;
      reject(new Error(`Plotly could not be loaded from ${script.src}`));
    });
    document.head.append(script);
  });
  return plotly;
}

export function plotlyUrl(base, version) {
  return `${base}/plotly/${version}.js`;
}

/**
 * Load a set of chart templates. The page's data contain only the id of the set.
 *
 * @returns promise of {main, more, stage}, lists of charts as described in bnviz/charts/chart.py. It is rejected when
 * the last attempt fails.
 */
export function loadTemplates(base, id) {
  const address = `${base}/templates/${id}.json`;
  const loading = templates.get(address) ?? fetchTemplates(address);
  templates.delete(address);
  templates.set(address, loading);
  if (templates.size > MOST) templates.delete(templates.keys().next().value);
  loading.catch(() => templates.delete(address));
  return loading;
}

async function fetchTemplates(address) {
  for (const wait of [...WAITS, null]) {
    const answer = await fetch(address).catch(() => null);
    if (answer?.ok) return answer.json();
    if (wait !== null) await new Promise((resolve) => setTimeout(resolve, wait));
  }
  throw new Error(`The charts could not be loaded from ${address}`);
}
