// Transport icons as small SVG drawings: the same on every system, in the text's colour.

const SHAPES = {
  play: ["M8 5.5v13l11-6.5z"],
  pause: ["M6.5 5h4v14h-4z", "M13.5 5h4v14h-4z"],
  step: ["M4 11h8V7.2L17.6 12 12 16.8V13H4z", "M18.4 6.5h2v11h-2z"],
  reset: ["M12 5.2V2L6.8 6.4 12 10.8V7.3a5 5 0 1 1-5 5H4.9A7.1 7.1 0 1 0 12 5.2z"],
};

/** An icon hidden from screen readers; the button around it carries the name. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const d of SHAPES[name] ?? []) {
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}
