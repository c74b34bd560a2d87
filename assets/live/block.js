// A live view as a block of a page: it has the parts, charts and knobs that it is given, and no more.

import { fill, h, setHidden } from "./lib/dom.js";
import { rich } from "./lib/terms.js";
import { Game } from "./panels/game.js";
import { Headlines } from "./panels/headlines.js";
import { Room } from "./panels/room.js";

export class Block {
  #view;

  constructor(view) {
    this.#view = view;
    this.heading = h("header", { class: "bnviz-heading" });
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
    charts.element.append(this.room.element, timeline.element);
    timeline.fork.remove();
    const own = [
      [this.heading, this.#says.heading.length > 0], [bar, true], [cards.element, this.has("cards")],
      [this.headlines.element, this.has("headlines")], [charts.menu.chooser, true], [charts.element, true], [this.game.element, this.has("game")],
      [announcer.element, true],
    ];
    // The root is what the widths of its parts are measured by, so it cannot be their grid.
    fill(root, h("div", { class: `bnviz-${this.#says.layout}` }, ...own.filter(([, there]) => there).map(([element]) => element)));
    fill(bar, this.#says.layout === "home" ? null : transport.element, rate.element, notices.element);
    this.settle();
  }

  /** The charts are there: on the home page the buttons stand beside the last one, and are read before it. */
  settle() {
    if (this.#says.layout !== "home") return;
    const { charts, transport } = this.#view;
    charts.main.insertBefore(transport.element, charts.main.querySelector(".bnviz-panel:last-of-type"));
  }

  update() {
    const { root, timeline, transport, t } = this.#view;
    const { heading, large, waits } = this.#says;
    root.classList.toggle("bnviz-large", large);
    root.classList.toggle("bnviz-waits", waits);
    const [title, ...lines] = heading;
    fill(this.heading, title && h("h1", {}, title), ...lines.map((line) => h("p", {}, ...rich(line, this.#view.data.texts.glossary))));
    // What may be done changes as a page goes on: before a guess nothing can be played.
    setHidden(transport.element, !this.has("transport"));
    setHidden(transport.step, !this.has("step"));
    setHidden(timeline.element, !this.has("timeline"));
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", t("block.title"));
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

  draw(scene) {
    if (this.has("headlines")) this.headlines.draw(scene);
    if (this.has("game")) this.game.draw(scene);
  }

  destroy() {
    this.room.destroy();
  }
}
