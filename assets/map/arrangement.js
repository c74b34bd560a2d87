// How large each plane is drawn in the room that there is.

const [WIDE, WIDE_FOR_MANY, MIDDLE] = [620, 840, 560]; // px of room from which planes stand side by side
const TITLE = 25; // px of a plane's title
const GAP = 26; // px between planes; as in map.css
const GAP_ROWS = 12; // px between rows of them; as in map.css
const PRESENT_TITLE = 34; // px of a plane's title on the stage
const WIDE_HALL = 1600; // px of the window from which type is larger still; as in live_view.css
const AROUND = 392; // px of a window's height that is not the planes', where a run stands beside them
const [LOWEST, LOWEST_SMALL, HIGHEST_SMALL] = [210, 120, 190]; // px of height beside a run
const ROOMY = 800; // px of room from which a run beside the planes changes nothing about them
const TWO_LARGE = 480; // px of room for two large planes beside each other, beside a run
const [LEAST, MOST] = [300, 560]; // px of height of a large plane

/**
 * @param planes [{large}, …] @param present whether they stand on the stage
 * @param room {width, height: px, on the stage those that the planes have, else the window's; hall: px of the window's width,
 *   alongside: whether the run of a cell stands beside them}
 * @returns {layout: name for the style, columns, frames: [{width, height, type, titled}, …]}
 */
export function arrange(planes, { width, height, hall, alongside }, present) {
  const type = present ? (hall >= WIDE_HALL ? 24 : 20) : 13;
  const small = planes.filter(({ large }) => !large).length;
  const large = planes.length - small;
  const frame = (wide, high, size, titled) => ({ width: Math.floor(wide), height: Math.floor(high), type: size, titled });
  if (alongside && !present && width < ROOMY) return lower(planes, { width, free: height - AROUND }, (wide, high, { large: big }) => frame(wide, high, big ? type : 12, big));
  if (!small) {
    const columns = width < MIDDLE || large === 1 ? 1 : 2;
    const wide = (width - GAP * (columns - 1)) / columns;
    const rows = Math.ceil(large / columns);
    const tall = present ? (height - GAP_ROWS * (rows - 1)) / rows - (large > 1 ? PRESENT_TITLE : 0) : Math.min(MOST, Math.max(LEAST, wide * (large === 1 ? 0.5 : 0.68)));
    return { layout: "even", columns, frames: planes.map(() => frame(wide, tall, type, true)) };
  }
  if (width >= (small > 2 ? WIDE_FOR_MANY : WIDE)) {
    const columns = small > 2 ? 2 : 1;
    const side = Math.round(width * (columns === 2 ? 0.42 : 0.35));
    const wide = width - side - GAP;
    const tall = Math.min(MOST, Math.max(LEAST, wide * (columns === 2 ? 0.92 : 0.76)));
    const rows = Math.ceil(small / columns);
    return { layout: "beside", columns, frames: planes.map(({ large: big }) => (big ? frame(wide, tall, type, true)
      : frame((side - 16 * (columns - 1)) / columns, Math.min(300, (tall + TITLE) / rows - TITLE - 8), 12, false))) };
  }
  const columns = width < MIDDLE ? 1 : small === 3 && width > 700 ? 3 : 2;
  const wide = (width - GAP * (columns - 1)) / columns;
  return { layout: "below", columns: Math.min(columns, small), frames: planes.map(({ large: big }) => (big
    ? frame(width, Math.min(MOST, Math.max(LEAST, width * 0.72)), width < MIDDLE ? 12 : type, true)
    : frame(small === 1 ? width : wide, Math.min(240, Math.max(180, wide * 0.62)), 12, false))) };
}

/** Beside the run of a cell: large planes over small ones, as high as lets the window have all of them. */
function lower(planes, { width, free }, frame) {
  const small = planes.filter(({ large }) => !large).length;
  const large = planes.length - small;
  const columns = small ? Math.min(2, small) : large > 2 && width >= TWO_LARGE ? 2 : 1;
  const wide = (width - GAP * (columns - 1)) / columns;
  const within = (least, most, high) => Math.max(least, Math.min(most, high));
  if (!small) {
    const high = within(LOWEST, MOST, free / Math.ceil(large / columns) - TITLE - GAP_ROWS);
    return { layout: "even", columns, frames: planes.map((plane) => frame(wide, high, plane)) };
  }
  const low = within(LOWEST_SMALL, HIGHEST_SMALL, free * 0.28);
  const high = within(LOWEST, MOST, free - Math.ceil(small / columns) * (low + TITLE + GAP_ROWS));
  return { layout: "below", columns, frames: planes.map((plane) => (plane.large ? frame(width, high, plane) : frame(wide, low, plane))) };
}
