// A live view as a block of a page: it has the parts, charts and knobs that it is given, and no more.

import { fill, h, setHidden, setText } from "./lib/dom.js";
import { rich } from "./lib/terms.js";
import { Game } from "./panels/game.js";
import { Headlines } from "./panels/headlines.js";
import { Room } from "./panels/room.js";

export class Block {
  #view;
  #taken = false; // another hand has taken over from one whose changes are made again

  constructor(view) {
    this.#view = view;
    this.heading = h("header", { class: "bnviz-heading" });
    this.explains = h("div", { class: "bnviz-explains" });
    this.headlines = new Headlines(view);
    this.game = new Game(view);
    this.room = new Room(view);
  }

  /** What the page says of this block now. */
  get #says() {
    return this.#view.data.block;
  }

  has(part) {
    return this.#says.parts.includes(part);
  }

  /** Put what belongs there into the view's root, in the order in which it is read. */
  arrange() {
    const { root, notices, bar, cards, charts, transport, timeline, rate, announcer } = this.#view;
    root.classList.add("bnviz-block");
    transport.others.remove();
    if (!this.has("pace")) transport.pace.remove();
    charts.menu.pills.remove();
    timeline.fork.remove();
    const own = [
      [this.heading, this.#says.heading.length > 0], [cards.element, this.has("cards")],
      [this.headlines.element, this.has("headlines")], [charts.menu.chooser, true], [charts.element, true], [this.game.element, this.has("game")],
      [announcer.element, true],
    ];
    const parts = own.filter(([, there]) => there).map(([element]) => element);
    fill(bar, transport.element, rate.element, notices.element);
    // What moves the run lies at the foot, where a hand is.
    this.dock = h("div", { class: "bnviz-dock" }, this.room.element, timeline.element, bar);
    // The root is what the widths of its parts are measured by, so it cannot be their grid.
    fill(root, h("div", { class: `bnviz-${this.#says.layout}` }, ...(this.#says.layout === "home" ? this.#asOne(parts) : [...parts, this.dock])));
    this.settle();
  }

  /** Home is one object: what each network does, its hills, and the knob under the hand. */
  #asOne(parts) {
    const { announcer, bar } = this.#view;
    const own = parts.filter((part) => ![this.heading, announcer.element, this.game.element].includes(part));
    return [this.heading, h("div", { class: "bnviz-object" }, ...own, this.dock, this.game.element), this.explains, announcer.element];
  }

  /** The charts are there: on the home page what they measure, their numbers and ⤢ are folded into one sign. */
  settle() {
    if (this.#says.layout !== "home") return;
    for (const panel of this.#view.charts.main.querySelectorAll(".bnviz-panel")) {
      if (panel.querySelector(".bnviz-about")) continue;
      const [sign, header, told] = [this.#view.t("block.about"), panel.querySelector("header"), panel.querySelector(".bnviz-told")];
      const about = h("details", { class: "bnviz-about" }, h("summary", { "aria-label": sign, title: sign }, "i"), header, told);
      header.querySelector(".bnviz-measures").remove(); // its own sign has it all
      told.hidden = false;
      about.addEventListener("keydown", ({ key }) => key === "Escape" && (about.open = false));
      panel.append(about);
    }
  }

  update() {
    const { root, timeline, transport, t } = this.#view;
    const { heading, large, waits } = this.#says;
    root.classList.toggle("bnviz-large", large);
    root.classList.toggle("bnviz-waits", waits);
    const [title, ...lines] = heading;
    const words = lines.map((line) => h("p", {}, ...rich(line, this.#view.data.texts.glossary)));
    fill(this.heading, title && h("h1", {}, title), ...(this.#says.layout === "home" ? [] : words));
    if (this.#says.layout === "home") fill(this.explains, ...words);
    // What may be done changes as a page goes on: before a guess nothing can be played.
    setHidden(transport.element, !this.has("transport"));
    setHidden(transport.step, !this.has("step"));
    setHidden(timeline.element, !this.has("timeline"));
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", t("block.title"));
    const { drawing } = this.#says;
    if (drawing) this.#view.charts.panels.get(drawing.on)?.invalidate();
    this.headlines.update();
    this.game.update();
    this.room.watch();
  }

  /** How the charts stand: all of them, or on a phone one at a time. */
  mode(narrow) {
    return narrow && this.#says.one_on_phone ? "phone" : "page";
  }

  /** The size of a chart, for the styles. */
  size(name) {
    return this.#says.sizes[name] ?? "full";
  }

  /** A few words for a chart's heading; "" for none. */
  note(name) {
    return this.#says.notes[name] ?? "";
  }

  /** The curve that is drawn over a chart; null for none. */
  drawing(name) {
    const { drawing } = this.#says;
    return drawing?.on === name ? drawing : null;
  }

  /**
   * What the run will do again by itself, as somebody did before, after a step: {step, rate}; null where
   * there is nothing, or where another hand has taken over.
   */
  nextReplayed(step) {
    if (!this.#replays) return null;
    const [at, rate] = this.#says.replay.changes.find(([at]) => at > step) ?? [];
    return at === undefined ? null : { step: at, rate };
  }

  /** Until another hand takes over, the heading speaks of what somebody did before. */
  get #replays() {
    const { changes } = this.#says.replay ?? {};
    const own = ({ step }) => !changes.some(([at]) => at === step);
    this.#taken ||= !changes || this.#view.store.changes.some(own);
    return !this.#taken;
  }

  draw(scene) {
    const title = this.#says.replay && !this.#replays && this.heading.querySelector("h1");
    if (title) setText(title, this.#says.replay.title);
    if (this.has("headlines")) this.headlines.draw(scene);
    if (this.has("game")) this.game.draw(scene);
  }

  destroy() {
    this.room.destroy();
  }
}
