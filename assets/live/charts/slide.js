// Picture of a chart for a slide. The figure is redrawn with large type. The chart's title is above the figure, and a
// line with the settings and the step is below it. The picture is an SVG, from which a PNG can be made.

import { h, s } from "../lib/dom.js";
import { inLines, measuredWidth } from "../lib/text_width.js";
import { layoutAt } from "./chart_panel.js";
import { Overlays } from "./overlays.js";
import { Patcher } from "./patcher.js";

// Sizes of slides in px, as [width, height].
export const SHAPES = { wide: [1920, 1080], classic: [1440, 1080], square: [1080, 1080] };
// Fonts that every computer has, so that text keeps its measured width wherever the picture is opened.
const FONT = "Arial, Helvetica, sans-serif";
const EDGE = 48; // margin in px left and right of the text
const INSET = 24; // margin in px left and right of the figure
const [TITLE, LINE] = [44, 26]; // type sizes in px of the title and of all other lines
const [TOP, FOOT] = [108, 76]; // height in px above and below the figure, without the subtitle
// Subtitle: y of the first line in px, line height in px, and maximum number of lines
const [BELOW_TITLE, LINE_HEIGHT, MOST_LINES] = [112, 34, 2];
const BARE_TOP = 28; // height in px above a figure that has no title
const ZOOM = 1.3; // scale relative to the presentation view, so that lines and marks are visible from afar
const SMALLEST = 1; // minimum scale of a figure that is designed for a greater height than is available
const COVERS = 5; // px
const OVERLAYS = ".bnviz-callout, .bnviz-callout-number, .bnviz-node-broken, .bnviz-node-words, .bnviz-cursor";

/**
 * Draw the picture.
 *
 * @param view the live view
 * @param spec the chart's JSON, made for large type
 * @param scene the scene to draw
 * @param choice {selected: options by selector name; size: [width, height]; dark; colours: {paper, ink, muted, text: by
 * norm}; title: text, or "" for no title; subtitle: text about the measurement, below the title; line: text below the
 * figure}
 * @returns promise of the SVG document as text
 */
export async function drawSlide(view, spec, scene, { selected, size: [width, height], dark, colours, title, subtitle, line }) {
  const told = title ? subtitleLines(subtitle, width - 2 * EDGE) : [];
  const top = title ? TOP + LINE_HEIGHT * told.length : BARE_TOP;
  const [wide, room] = [width - 2 * INSET, height - top - FOOT];
  const wanted = layoutAt(spec, wide / ZOOM, room / ZOOM);
  const scale = Math.min(ZOOM, room / wanted.least, Math.max(SMALLEST, room / wanted.height));
  const plot = h("div.bnviz-plot");
  const frame = h("div.bnviz-figure.bnviz-slide-figure", { style: { width: `${wide / scale}px`, height: `${room / scale}px` } }, plot);
  const host = h("div.bnviz-slide", { "aria-hidden": "true", "data-theme": dark ? "dark" : "light" }, frame);
  view.root.append(host);
  const Plotly = await view.plotly;
  const patcher = new Patcher(Plotly, plot, inFont(spec), selected);
  try {
    await patcher.mount(layoutAt(spec, wide / scale, room / scale).layout);
    patcher.draw(scene);
    const overlays = drawOverlays(frame, patcher, spec, scene, view, colours);
    if (scene.rewound) overlays.showCursor(scene.step);
    const address = await Plotly.toImage(plot, { format: "svg", width: plot.clientWidth, height: plot.clientHeight });
    const figure = new DOMParser().parseFromString(decodeURIComponent(address.slice(address.indexOf(",") + 1)), "image/svg+xml").documentElement;
    const drawn = s("g", { transform: `translate(${INSET} ${top}) scale(${scale})` });
    drawn.append(figure, ...overlayShapes(frame, colours.paper));
    const picture = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT });
    picture.append(s("rect", { width, height, fill: colours.paper }));
    if (title) {
      picture.append(text(title, EDGE, 66, TITLE, colours.ink, { "font-weight": 700, ...fitted(title, TITLE, width) }),
        ...told.map((words, i) => text(words, EDGE, BELOW_TITLE + LINE_HEIGHT * i, LINE, colours.muted)));
    }
    picture.append(drawn, text(line, EDGE, height - 28, LINE, colours.muted, fitted(line, LINE, width)));
    return new XMLSerializer().serializeToString(picture);
  } finally {
    patcher.purge();
    host.remove();
  }
}

/** Return the chart's JSON with the fonts of the picture. */
function inFont(spec) {
  const { figure } = spec;
  const { font, hoverlabel } = figure.layout;
  const layout = { ...figure.layout, font: { ...font, family: FONT }, hoverlabel: { ...hoverlabel, font: { ...hoverlabel?.font, family: FONT } } };
  return { ...spec, figure: { ...figure, layout } };
}

/**
 * Draw the labels at the layers in which networks broke. Leave out the buttons and the curves that a learner has drawn.
 */
function drawOverlays(frame, patcher, spec, scene, view, { text: words }) {
  const bindings = spec.bindings.filter(({ kind }) => kind !== "doors");
  const overlays = new Overlays(frame, patcher, { ...spec, bindings });
  const norms = Object.fromEntries(Object.entries(view.data.colours).map(([norm, colour]) => [norm, { ...colour, text: words[norm] }]));
  overlays.draw(scene, { data: { ...view.data, colours: norms }, coversLayer: view.coversLayer, pageLayout: null });
  return overlays;
}

/** Return the overlays of a figure as SVG shapes, in pixels of the figure. */
function overlayShapes(frame, paper) {
  const origin = frame.getBoundingClientRect();
  const shown = [...frame.querySelectorAll(OVERLAYS)].filter((element) => !element.hidden);
  return shown.flatMap((element) => {
    const box = element.getBoundingClientRect();
    const [x, y] = [box.left - origin.left, box.top - origin.top];
    const { color, borderTopColor, borderLeftColor, fontSize, opacity } = getComputedStyle(element);
    const size = parseFloat(fontSize);
    const line = box.height / element.textContent.split("\n").length;
    const words = element.textContent.split("\n").map((one, i) => (
      text(one, x + box.width / 2, y + line * (i + 0.5) + 0.36 * size, size, color, { "font-weight": 700, "text-anchor": "middle" })));
    const place = { x, y, width: box.width, height: box.height, "stroke-width": 2 };
    if (element.matches(".bnviz-cursor")) return s("path", { d: `M${x} ${y}v${box.height}`, stroke: borderLeftColor, "stroke-width": 2, opacity });
    if (element.matches(".bnviz-node-broken")) return s("rect", { ...place, rx: 6, fill: "none", stroke: borderTopColor });
    if (element.matches(".bnviz-callout")) return [s("rect", { ...place, rx: 7, fill: paper, stroke: borderTopColor }), ...words];
    // The disc is larger than on the page, so that it covers the layer's number in large type.
    const round = { x: x - COVERS, y: y - COVERS, width: box.width + 2 * COVERS, height: box.height + 2 * COVERS, rx: box.height };
    if (element.matches(".bnviz-callout-number")) return [s("rect", { ...round, fill: getComputedStyle(element).backgroundColor }), ...words];
    return words;
  });
}

function widthOf(words, size) {
  return measuredWidth(words, `${size}px ${FONT}`);
}

/** Return attributes that shrink a line of words to the width of the picture if the line is longer than that. */
function fitted(words, size, width) {
  const room = width - 2 * EDGE;
  return widthOf(words, size) > room ? { textLength: room, lengthAdjust: "spacingAndGlyphs" } : {};
}

/**
 * Split a subtitle into lines of at most `room` px. A semicolon separates its parts. Keep as many whole parts as fit.
 */
function subtitleLines(subtitle, room) {
  const parts = subtitle.split("; ");
  for (let count = parts.length; count > 0; count--) {
    const lines = inLines(parts.slice(0, count).join("; "), (line) => widthOf(line, LINE) <= room);
    if (lines.length <= MOST_LINES) return lines;
  }
  return [];
}

function text(words, x, y, size, fill, attributes = {}) {
  const element = s("text", { x, y, "font-size": size, fill, ...attributes });
  element.textContent = words;
  return element;
}
