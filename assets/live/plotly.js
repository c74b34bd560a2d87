// Plotly, loaded once from the server's own copy. The page's head begins to load it before Streamlit
// starts (bnviz/live/early_start.py); in a page without that head it is asked for here. Streamlit's
// chunk carries another version and may set `window.Plotly` later: the script's own is kept.

let loading = null;

/** @returns promise of Plotly */
export function loadPlotly(base, version) {
  loading ??= new Promise((resolve, reject) => {
    const source = plotlyUrl(base, version);
    const script = document.querySelector(`script[src="${source}"]`) ?? added(source);
    if (script.bnvizPlotly) resolve(script.bnvizPlotly);
    script.addEventListener("load", () => resolve(script.bnvizPlotly ?? window.Plotly));
    script.addEventListener("error", () => {
      script.remove();
      loading = null;
      reject(new Error(`Plotly could not be loaded from ${source}`));
    });
  });
  return loading;
}

function added(source) {
  const before = window.Plotly;
  const script = document.createElement("script");
  script.addEventListener("load", () => {
    script.bnvizPlotly = window.Plotly;
    if (before) window.Plotly = before;
  });
  script.src = source;
  document.head.append(script);
  return script;
}

export function plotlyUrl(base, version) {
  return `${base}/plotly/${version}.js`;
}
