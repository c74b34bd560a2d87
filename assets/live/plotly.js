// Plotly, loaded once by a script tag from the server's own copy. Streamlit's chunk carries another
// version and may set `window.Plotly` later, so the reference taken here is the one that is used.

let loading = null;

/** @returns promise of Plotly */
export function loadPlotly(base, version) {
  loading ??= new Promise((resolve, reject) => {
    const before = window.Plotly;
    const script = document.createElement("script");
    script.src = plotlyUrl(base, version);
    script.onload = () => {
      const own = window.Plotly;
      if (before) window.Plotly = before;
      resolve(own);
    };
    script.onerror = () => {
      loading = null;
      reject(new Error(`Plotly could not be loaded from ${script.src}`));
    };
    document.head.append(script);
  });
  return loading;
}

export function plotlyUrl(base, version) {
  return `${base}/plotly/${version}.js`;
}
