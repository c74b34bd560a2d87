// Plotly, loaded once from the server's own copy. Streamlit's chunk carries another version and may
// set `window.Plotly` later: what this one sets is kept here, and what was there before is put back.

let loading = null;

/** @returns promise of Plotly */
export function loadPlotly(base, version) {
  loading ??= new Promise((resolve, reject) => {
    const before = window.Plotly;
    const script = document.createElement("script");
    script.src = plotlyUrl(base, version);
    script.addEventListener("load", () => {
      resolve(window.Plotly);
      if (before) window.Plotly = before;
    });
    script.addEventListener("error", () => {
      script.remove();
      loading = null;
      reject(new Error(`Plotly could not be loaded from ${script.src}`));
    });
    document.head.append(script);
  });
  return loading;
}

export function plotlyUrl(base, version) {
  return `${base}/plotly/${version}.js`;
}
