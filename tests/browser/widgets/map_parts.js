// Functions that return texts and drawings of the map's modules for made-up cells.

const load = (name) => import(`/assets/v1/${name}.js`);

/**
 * Return a view object with everything that the map's modules need. @param given {data, rows, before: {data, rows} of
 * the previous map, colour, answer, …}
 */
export async function viewOf({ data, rows = [], before = null, colour = "outcome", answer = null, ...more }) {
  const { MapModel } = await load("map/model");
  const { withCues } = await load("map/colouring");
  const { translator } = await load("live/lib/texts");
  const model = new MapModel(data);
  model.take(rows);
  if (before) {
    const earlier = new MapModel(before.data);
    earlier.take(before.rows);
    model.follow(earlier);
  }
  return {
    data, model, norms: withCues(data.norms), colour, answer, wanted: true, sent: [], subject: { covered: false },
    over: { here: null, chosen: null, zoom: null }, t: translator({ ...data.texts.view, reading: data.texts.reading }),
    planes: { update() {} }, root: document.body, nothingLeft: false, send(...said) {
      this.sent.push(said);
    }, ...more,
  };
}

/** Replace the page's content with this element, at the given width in pixels. */
function place(element, width) {
  const box = document.createElement("div");
  box.style.cssText = `width:${width}px`;
  box.append(element);
  document.body.replaceChildren(box);
}

const texts = (elements) => [...elements].map(({ textContent }) => textContent);
const get = (element, ...names) => names.map((name) => element.getAttribute(name));

// Words.

/** Return the texts about a cell: its position, and the result of each network. */
export async function cell({ point, ...given }) {
  const { CellWords } = await load("map/cell");
  const words = new CellWords(await viewOf(given));
  return [words.place(point), ...words.networks(point).map(({ text }) => text)];
}

/**
 * Return the texts of the readout: for a cell as shown and as spoken, without a cell, and while the cells are covered.
 */
export async function written({ point, ...given }) {
  const { CellWords } = await load("map/cell");
  const view = await viewOf(given);
  const words = new CellWords(view);
  const text = (at) => words.written(at).map((part) => part.textContent ?? part).join("");
  const found = [text(point), words.sentence(point), text(null)];
  view.subject.covered = true;
  return [...found, text(point)];
}

/** Return the headings, table rows, marked entries and sentences of the card *Read the map*. */
export async function reading({ reading: told, ...given }) {
  const { SummaryCard } = await load("map/summary");
  const made = new SummaryCard(await viewOf(given));
  made.draw(told);
  const { element } = made;
  return {
    titles: texts(element.querySelectorAll("h4")), rows: [...element.querySelectorAll("tr")].map((row) => texts(row.children)),
    marked: texts(element.querySelectorAll("td b")), about: element.querySelector("caption").textContent, sentences: texts(element.querySelectorAll("li")),
    link: element.querySelector("a")?.getAttribute("href") ?? null,
  };
}

/** Return the rows of the table of boundaries. */
export async function table(given) {
  const { BorderTable } = await load("map/summary");
  const made = new BorderTable(await viewOf(given));
  made.element.open = true;
  made.draw();
  return [...made.table.querySelectorAll("tr")].map((row) => texts(row.children));
}

/**
 * Return the progress texts in three cases: while the map is to be drawn, while it is stopped, and divided into two
 * parts.
 */
export async function progress({ data, answer }) {
  const { progressWords } = await load("map/header");
  const { t } = await viewOf({ data });
  return [[true, false], [false, false], [true, true]].map(([wanted, apart]) => progressWords(t, wanted, answer, apart));
}

export async function head({ answer, offline, gone, ...given }) {
  const { MapHeader } = await load("map/header");
  const made = new MapHeader(await viewOf(given));
  made.show(answer, gone ? "gone" : offline ? "offline" : null);
  const percent = Number(made.track.getAttribute("aria-valuenow"));
  return {
    done: made.done.textContent, about: made.about.textContent, bar: !made.track.hidden, percent, width: made.bar.style.width,
    problem: made.problem.hidden ? "" : made.words.textContent, again: !made.again.hidden,
  };
}

/** Return whether the map has links back from a zoom, the text of these links, and the messages that they send. */
export async function crumbs(given) {
  const { MapHeader } = await load("map/header");
  const view = await viewOf(given);
  const made = new MapHeader(view);
  made.update();
  for (const link of made.crumbs.querySelectorAll("button")) link.click();
  return [!made.crumbs.hidden, made.crumbs.textContent, view.sent];
}

export async function heading(given) {
  const { ColouringHeading } = await load("map/colouring");
  const made = new ColouringHeading(await viewOf(given));
  made.update();
  const choices = [...made.choice.querySelectorAll("input")].map(({ value }) => value);
  return [made.title.main, made.title.sub, made.element.textContent, choices];
}

// Colours.

/**
 * For each row of the feed, return the legend entries that contain its colour, each with the position of the colour in
 * the entry.
 */
export async function painted({ colour, network, rows, ...given }) {
  const { legendOf, lookOf } = await load("map/colouring");
  const view = await viewOf({ ...given, rows, colour });
  const look = lookOf(colour, view);
  const lines = legendOf(colour, view).map(({ paints: all, key, values }) => [all.map((paint) => JSON.stringify(paint)), view.t(`legend.${key}`, values)]);
  return rows.filter(([number]) => number === (network ?? 0)).map(([, i, j]) => {
    const known = view.model.rowsAt(i, j);
    const { ground, parts } = look(known.map((row) => row ?? known.find(Boolean)));
    const own = JSON.stringify(network === null ? ground : parts[network]);
    return lines.filter(([all]) => all.includes(own)).map(([all, words]) => `${words} #${all.indexOf(own)}`);
  });
}

/** For each point, return the name and colour of its region, and the tones of its hills (histograms). */
export async function regions({ points, ...given }) {
  const { lookOf, regionPhrase } = await load("map/colouring");
  const view = await viewOf(given);
  const classes = view.model.survivors();
  const look = lookOf("outcome", view);
  return points.map(([i, j]) => {
    const kind = classes[j * view.model.width + i];
    if (!kind) return null;
    const { ground, tones } = look(view.model.rowsAt(i, j));
    return [regionPhrase(view, kind).text, ground, tones];
  });
}

/** Returns the available colourings. */
export async function ways({ data }) {
  const { coloursFor } = await load("map/colouring");
  const { norms } = await viewOf({ data });
  return coloursFor(norms, data.seeds);
}

/** Return the headline of a map with the given cells. */
export async function headline(given) {
  const { headline: of } = await load("map/headline");
  const { model, norms, t } = await viewOf(given);
  const [key, values] = of(model, norms);
  return [key, t(`headline.${key}`, values)];
}

// Drawing.

/** Return the elements drawn on the plane, by layer of the drawing. */
export async function plane({ width = 900, ...given }) {
  const { Planes } = await load("map/planes");
  const made = new Planes(await viewOf(given));
  place(made.element, width);
  made.update();
  made.drawOver();
  const { plane: own } = made;
  const shapes = (layer, name) => [...own.layers[layer].querySelectorAll(name)];
  const paths = (layer, ...names) => shapes(layer, "path").map((each) => Object.fromEntries(["d", ...names].map((name) => [name, each.getAttribute(name)])));
  return {
    width: own.width, height: own.height, label: own.svg.getAttribute("aria-label"), marks: paths("marks", "stroke"),
    cells: paths("cells", "fill"), parts: paths("parts", "fill"), ghost: paths("ghost", "fill"), waiting: paths("waiting"),
    hills: paths("hills", "data-hills", "data-tone", "data-none"), borders: paths("borders", "stroke", "data-border").filter((each) => each["data-border"]),
    numbers: texts(own.axes.querySelectorAll("text")), line: made.line.textContent,
    over: shapes("over", "rect").map((each) => get(each, "x", "y", "width", "height", "stroke-width").map(Number)),
  };
}

// A class.

/** Return the sentences about the outcomes of questions, given as [question, outcome]. */
export async function happened({ found, ...given }) {
  const { QuestionedMap } = await load("map/questioned_map");
  const subject = new QuestionedMap(await viewOf(given));
  return found.map(([question, answer]) => subject.outcomeOf({ question, outcome: () => answer }, null)?.sentence ?? null);
}

/** Return the texts about a question that are shown before its outcome is known. */
export async function settles(given) {
  const { QuestionedMap } = await load("map/questioned_map");
  const subject = new QuestionedMap(await viewOf(given));
  return [subject.decidedText({}), subject.runLabel(), subject.waitingText({ question: { kind: "most" } }), subject.waitingText({ question: { kind: null } }), subject.canAsk];
}

/** Pass a question through a sequence of actions {does, …}, and return the result of each action. */
export async function follows({ question, turns }) {
  const { QuestionAboutMap } = await load("map/questioned_map");
  const asked = new QuestionAboutMap(question);
  const does = {
    follow: (now) => asked.follow(now), decide: (now) => asked.outcome(now), start: () => asked.start() ?? null,
    happen: () => Boolean((asked.happened = { answers: [], sentence: "" })),
  };
  return turns.map(([name, now]) => [does[name](now), asked.going, asked.from?.key ?? null]);
}
