// The layout of a live view that is embedded in a page with other content: the home page or a lesson. The page decides
// which parts, charts and knobs the view has (`data.block`, see bnviz/ui/live_view.py).

import { isOver } from "./data/page_script.js";
import { fill, h, pill, setHidden, setText } from "./lib/dom.js";
import { scrolling } from "./lib/screen.js";
import { rich } from "./lib/terms.js";
import { countedText } from "./lib/texts.js";
import { AccuracyLine } from "./panels/accuracy_line.js";
import { DigitsBand } from "./panels/digits_band.js";
import { Prompt } from "./panels/prompt.js";

const LOWEST = 0.6; // minimum height of a figure, as a share of its full height
const BEGUN = 0.35; // share of a figure that must be visible for the figure to count as seen
const NEARLY = 20; // maximum number of px of a figure that may be cut off without a hint
const RAISES = 3; // maximum number of times that figures may grow again while the column keeps the same height

export class PageLayout {
  #view;
  #interrupted = false; // whether the visitor has set a knob in a run that replays another person's changes

  constructor(view) {
    this.#view = view;
    this.heading = h("header.bnviz-heading");
    this.band = this.has("band") ? new DigitsBand(view) : null;
    this.prompt = this.has("prompt") ? new Prompt(view) : null;
    this.line = this.isHome ? new AccuracyLine(view) : null;
    this.columnFit = new ColumnFit(view);
    this.report = pill(view.t("report.open"), () => view.act("report"), {
      className: "bnviz-report", title: view.t("report.open_help"), "data-control": "report", hidden: true,
    });
  }

  /** Parts, charts and knobs that the page requests for this view. */
  get #wanted() {
    return this.#view.data.block;
  }

  get isHome() {
    return this.#wanted.layout === "home";
  }

  /** Return whether the page requests a part, such as "cards" or "timeline". */
  has(part) {
    return this.#wanted.parts.includes(part);
  }

  /** Put the parts into the view's root, in reading order. */
  arrange() {
    const { root, notices, bar, cards, charts, transport, timeline, rate, announcer } = this.#view;
    const { band, prompt } = this;
    root.classList.add("bnviz-block");
    transport.others.remove();
    transport.element.append(this.report);
    if (!this.has("pace")) transport.pace.remove();
    charts.menu.pills.remove();
    timeline.fork.remove();
    const own = [
      [this.heading, this.#wanted.heading.length > 0], [cards.element, this.has("cards")],
      [charts.menu.chooser, true], [charts.element, true], [announcer.element, true],
    ];
    const parts = own.filter(([, there]) => there).map(([element]) => element);
    fill(bar, transport, rate, notices);
    // The controls are at the foot of the page, within reach of a thumb.
    this.dock = h("div.bnviz-dock", this.columnFit, this.isHome ? null : timeline, bar);
    if (this.isHome) {
      // On the home page the accuracy line is behind the timeline.
      timeline.element.querySelector(".bnviz-track").prepend(this.line.element);
      transport.number.before(timeline.element);
      bar.append(prompt?.element ?? "");
      parts.splice(0, parts.length, this.heading, h("div.bnviz-object", band, charts.element, this.dock), announcer.element);
    } else parts.push(this.dock);
    // The root is the size container of its parts, so it cannot be their grid as well.
    fill(root, h("div", { class: `bnviz-${this.#wanted.layout}` }, parts));
    this.foldExplanations();
  }

  /**
   * On the home page, hide each chart's heading, explanation and buttons until the reader presses a button with the
   * sign "i". Called after charts have been created.
   */
  foldExplanations() {
    if (!this.isHome) return;
    for (const panel of this.#view.charts.main.querySelectorAll(".bnviz-panel")) {
      if (panel.querySelector(".bnviz-about")) continue;
      const sign = this.#view.t("block.about");
      const [header, told] = ["header", ".bnviz-told"].map((part) => panel.querySelector(part));
      const about = h("details.bnviz-about", h("summary", { "aria-label": sign, title: sign }, "i"), header, told);
      header.querySelector(".bnviz-measures").remove(); // the folded part already contains the explanation
      told.hidden = false;
      about.addEventListener("keydown", ({ key }) => key === "Escape" && (about.open = false));
      panel.append(about);
    }
  }

  update() {
    const { root, timeline, transport, t } = this.#view;
    const { heading, large_type: largeType, waits } = this.#wanted;
    root.classList.toggle("bnviz-large", largeType);
    root.classList.toggle("bnviz-waits", waits);
    const [title, ...lines] = heading;
    const words = lines.map((line) => h("p", rich(line, this.#view.data.texts.glossary)));
    fill(this.heading, title && h("h1", title), words);
    // The set of visible parts can change. For example, a lesson has no transport until the reader has made a guess.
    setHidden(transport.element, !this.has("transport"));
    setHidden(transport.step, !this.has("step"));
    setHidden(timeline.element, !this.has("timeline"));
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", t("block.title"));
    const { drawing } = this.#wanted;
    if (drawing) this.#view.charts.panels.get(drawing.on)?.invalidate();
    this.prompt?.update();
    this.columnFit.watch();
  }

  /**
   * Return the mode of the charts (see chart_choice.js): "page" for all charts, or "phone" for one chart at a time on a
   * narrow screen if the page asks for it.
   */
  mode(narrow) {
    return narrow && this.#wanted.one_on_phone ? "phone" : "page";
  }

  /** Name of a chart's size, used by the style sheets. */
  size(name) {
    return this.#wanted.sizes[name] ?? "full";
  }

  /** Short note in a chart's heading, or "" if there is none. */
  note(name) {
    return this.#wanted.notes[name] ?? "";
  }

  /** Text that covers a chart's values, or "" if the values are visible. */
  cover(name) {
    return this.#wanted.covered[name] ?? "";
  }

  /** Curve that a learner draws over a chart (see drawn_curve.js), or null if there is none. */
  drawing(name) {
    const { drawing } = this.#wanted;
    return drawing?.on === name ? drawing : null;
  }

  /**
   * Return the next learning-rate change after `step` that the run replays from a link, as {step, rate}. Return null if
   * there is none, or if the visitor has set a knob.
   */
  nextReplayed(step) {
    if (!this.#replays) return null;
    const [at, rate] = this.#wanted.replay.changes.find(([at]) => at > step) ?? [];
    return at === undefined ? null : { step: at, rate };
  }

  /** Whether the run replays another person's changes and the visitor has made none. */
  get #replays() {
    const { changes } = this.#wanted.replay ?? {};
    const own = ({ step }) => !changes.some(([at]) => at === step);
    this.#interrupted ||= !changes || this.#view.store.changes.some(own);
    return !this.#interrupted;
  }

  draw(scene) {
    const title = this.#wanted.replay && !this.#replays && this.heading.querySelector("h1");
    if (title) setText(title, this.#wanted.replay.title);
    this.band?.draw(scene);
    this.prompt?.draw(scene);
    this.line?.draw(scene);
    setHidden(this.report, !this.#view.data.report || !this.#hasEnded(scene));
  }

  /** Return whether the run has stopped, or has reached the last step that its page waits for. */
  #hasEnded({ live, store }) {
    const { report_steps: reportSteps } = this.#view.data;
    return reportSteps.length > 0 && (live.step >= reportSteps.at(-1) || isOver(store));
  }

  destroy() {
    this.columnFit.destroy();
  }
}

/**
 * Fits the charts into the scrolling column of the page. It reduces the height of the figures until all charts fit, or
 * if that is impossible, as many whole rows as possible. In the second case, a button at the bottom of the column shows
 * how many charts are below, until the reader has scrolled there.
 */
class ColumnFit {
  #view;
  #column = null; // the element that scrolls the charts
  #watcher = new ResizeObserver(() => this.#fitSoon());
  #scheduled = false;
  #share = 1; // current height of the figures, as a share of their full height
  #raises = 0; // how many times figures have grown since the page or the column's height last changed
  #room = 0;

  constructor(view) {
    this.#view = view;
    this.element = pill("", () => this.#scrollDown(), { className: "bnviz-filled bnviz-below", hidden: true });
  }

  /** Observe the size of the column once the view has been placed in a column. */
  watch() {
    this.#raises = 0;
    if (this.#column?.isConnected) return;
    const { root } = this.#view;
    this.#column = columnOf(root);
    if (!this.#column) return;
    this.#column.addEventListener("scroll", () => this.#tellMore(), { passive: true });
    for (const element of [this.#column, root]) this.#watcher.observe(element);
  }

  #fitSoon() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      this.#fit();
      this.#tellMore();
    });
  }

  get #panels() {
    return [...this.#view.charts.panels.values()].filter(({ shown }) => shown);
  }

  /** Reduce the height of all figures by the same share, so that as many whole rows as possible fit into the column. */
  #fit() {
    const rows = rowsOf(this.#panels);
    const room = parseFloat(getComputedStyle(this.#column).maxHeight);
    const top = this.#column.getBoundingClientRect().top - this.#column.scrollTop;
    let share = null;
    for (let count = rows.length; count > 0 && share === null; count -= 1) {
      const first = rows.slice(0, count);
      const whole = count === rows.length;
      const end = whole ? this.#column.scrollHeight : Math.max(...first.at(-1).map(({ element }) => element.getBoundingClientRect().bottom - top));
      share = this.#shareOf(first, room - (whole ? 0 : this.#foot) - end);
    }
    share ??= 1;
    if (room !== this.#room) this.#raises = 0;
    this.#room = room;
    if (share === this.#share || !Number.isFinite(room)) return;
    // Smaller figures can make the rest of the column taller, so without this limit the share of the full height could
    // alternate between two values forever.
    if (share > this.#share && ++this.#raises > RAISES) return;
    this.#share = share;
    this.#view.root.style.setProperty("--share", share);
  }

  /**
   * Largest share of the figures' full height at which the rows grow by at most `free` px. Return null if the rows are
   * too tall even at `LOWEST`.
   */
  #shareOf(rows, free) {
    const height = (share) => rows.reduce((sum, row) => sum + Math.max(...row.map((panel) => panel.heightAt(share))), 0);
    const most = height(this.#share) + free;
    for (let percent = 100; percent >= 100 * LOWEST; percent -= 2) {
      if (height(percent / 100) <= most) return percent / 100;
    }
    return null;
  }

  /** Show how many charts are hidden below the bottom of the column. */
  #tellMore() {
    const { t } = this.#view;
    const box = this.#column.getBoundingClientRect();
    const foot = box.bottom - this.#foot;
    const figures = this.#panels.map(({ frame }) => frame.getBoundingClientRect());
    const more = figures.some(({ bottom }) => bottom > foot + NEARLY);
    const below = figures.filter(({ top, height }) => foot - top < BEGUN * height).length;
    if (more) setText(this.element, below ? countedText(t, "block.below", below) : t("block.below_rest"));
    setHidden(this.element, !more);
  }

  /** Height in px of the controls that cover the bottom of the column. */
  get #foot() {
    const { dock } = this.#view.pageLayout;
    return getComputedStyle(dock).position === "sticky" ? dock.offsetHeight : 0;
  }

  #scrollDown() {
    this.#column.scrollBy({ top: 0.8 * this.#column.clientHeight, behavior: scrolling() });
  }

  destroy() {
    this.#watcher.disconnect();
  }
}

/** Return the column of the page that scrolls an element, or null if the page scrolls as a whole. */
function columnOf(element) {
  const column = element.closest("[data-testid='stColumn']");
  return column && getComputedStyle(column).overflowY === "auto" ? column : null;
}

/** Group the chart panels into rows by their vertical position. */
function rowsOf(panels) {
  return [...Map.groupBy(panels, ({ element }) => element.offsetTop).values()];
}
