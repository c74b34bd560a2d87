// Reset, play or pause, step; the step counter; the pace; and all else that is done with a run.

import { button, fill, h, setHidden, setText } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { icon } from "../lib/icons.js";
import { Overflow } from "./overflow.js";

const PACES = ["1/s", "watch", "fast", "full"];

export class Transport {
  element = h("div", { class: "bnviz-transport", role: "toolbar" });
  #view;
  #playing = null; // what the user asked for, until the server says so itself
  #paces = new Map();
  #made = ""; // of what the other buttons that stand there were made

  constructor(view) {
    this.#view = view;
    this.#build();
  }

  #build() {
    const { t } = this.#view;
    this.element.setAttribute("aria-label", t("transport.title"));
    const control = (name, className = "bnviz-round", does = () => this.#view.act(name)) => {
      const made = button("", does, {
        className, title: t(`transport.${name}_help`), aria: t(`transport.${name}`),
      });
      made.dataset.control = name;
      made.append(icon(name));
      return made;
    };
    this.reset = control("reset");
    this.play = control("play", "bnviz-round bnviz-play", () => this.#view.question.play() || this.#view.time.hold() || this.#view.act("play"));
    this.step = control("step");
    this.buttons = h("div", { class: "bnviz-buttons" }, this.reset, this.play, this.step);
    this.number = h("span", { class: "bnviz-step" }, "0");
    this.what = h("small", {});
    this.pace = this.#segments();
    this.live = button(t("transport.live"), () => this.#view.time.live(), { className: "bnviz-pill bnviz-strong bnviz-live" });
    setHidden(this.live, true);
    this.others = h("div", { class: "bnviz-others" });
    this.overflow = new Overflow(this.others, t("transport.others"));
    fill(this.element, this.buttons,
      h("div", { class: "bnviz-counter" }, this.number, this.what), this.pace, this.live, this.others);
  }

  #segments() {
    const { t } = this.#view;
    return h("div", { class: "bnviz-segments", role: "radiogroup", "aria-label": t("transport.pace") },
      ...PACES.map((pace) => {
        const input = h("input", {
          type: "radio", name: `bnviz-pace-${this.#view.id}`, value: pace,
          onchange: () => this.#view.act("pace", { pace }),
        });
        this.#paces.set(pace, input);
        return h("label", { title: t(`pace.${key(pace)}_help`) }, input, h("span", {}, t(`pace.${key(pace)}`)));
      }));
  }

  update() {
    const { data, t } = this.#view;
    const may = data.can_control;
    const hide = new Set(data.hide ?? []);
    setHidden(this.buttons, !may || hide.has("transport"));
    setHidden(this.pace, !may || hide.has("transport"));
    this.#setPace(data.pace);
    this.tell();
    const made = JSON.stringify([may, data.hide, data.present, data.language]);
    if (made === this.#made) return; // what has the focus in them keeps it
    this.#made = made;
    const pill = (name) => (hide.has(name) ? null : this.#pill(name));
    const stage = Boolean(this.#view.stage);
    this.overflow.fill([stage ? null : this.#view.question.button, may ? null : hide.has("copy") ? null : this.#watching(),
      pill("share"), may ? pill("new_seed") : null, pill("present"), pill("export"), may && !stage ? pill("find_best") : null]);
  }

  /** Where a talk takes the run, or why it stands by itself; else what is counted, on what, and how many watch. */
  tell() {
    const { data, store, t } = this.#view;
    const dataset = (store.standIn ? data.stand_in_label : data.dataset_label) ?? data.config.dataset;
    const device = t(`device.${data.config.device === "cuda" ? "cuda" : "cpu"}`);
    const watched = store.viewers > 1 ? ` · ${t("transport.viewers", { count: store.viewers })}` : "";
    const running = store.status === "running";
    const behind = store.behind && running;
    const to = this.#view.talk.goesTo ?? store.goesTo;
    const stands = to !== null || (!running && store.reason in (data.texts.stands ?? {}));
    const said = to !== null ? t("transport.goes_to", { step: count(to) }) : stands ? t(`stands.${store.reason}`) : t("transport.what", { dataset, device }) + watched;
    setText(this.what, behind ? t("transport.behind") : said);
    this.what.classList.toggle("bnviz-stands", stands);
    this.what.title = behind ? t("transport.behind_help") : stands && to === null ? t(`reason.${store.reason}`) : said;
  }

  /** How far the search for the best rates is. */
  #tellSearch() {
    const best = this.overflow.find("find_best");
    if (!best) return;
    const { store, covered, t } = this.#view;
    const searching = covered ? null : store.searching;
    best.disabled = searching !== null || Boolean(covered);
    const said = searching === null ? t("transport.find_best") : t("transport.searching", { share: searching });
    const longer = said.length !== best.textContent.length;
    setText(best, said);
    if (longer) this.overflow.fit();
  }

  #pill(name) {
    const { data, t } = this.#view;
    const shown = name === "present" && data.present ? "present_end" : name;
    const does = name === "find_best" ? () => this.#view.cards.askBest() : () => this.#view.act(name);
    const made = button(t(`transport.${shown}`), does, {
      className: "bnviz-pill", title: t(`transport.${shown}_help`),
    });
    made.dataset.control = name;
    return made;
  }

  #watching() {
    const { t } = this.#view;
    const copy = button(t("watching.copy"), () => this.#view.act("copy"), { className: "bnviz-pill bnviz-strong" });
    copy.dataset.control = "copy";
    return h("span", { class: "bnviz-watching" }, t("watching.title"), " ", copy);
  }

  #setPace(pace) {
    const input = this.#paces.get(pace);
    if (input && !input.checked) input.checked = true;
  }

  /** Show at once what was asked for; the server's word replaces it. */
  expect({ playing = null, pace = null }) {
    if (playing !== null) this.#playing = playing;
    if (pace !== null) this.#setPace(pace);
    this.#showPlay();
  }

  settle() {
    this.#playing = null;
    const { pace } = this.#view.store;
    if (pace) this.#setPace(pace);
    this.#showPlay();
    this.tell();
  }

  get playing() {
    return this.#playing ?? this.#view.store.status === "running";
  }

  #showPlay() {
    const name = (this.#view.time.replays ?? this.playing) ? "pause" : "play";
    if (this.play.dataset.shows === name) return;
    const { t } = this.#view;
    this.play.dataset.shows = name;
    this.play.setAttribute("aria-label", t(`transport.${name}`));
    this.play.title = t(`transport.${name}_help`);
    this.play.replaceChildren(icon(name));
  }

  draw({ step, rewound }) {
    this.tell();
    setText(this.number, count(step));
    setHidden(this.live, !rewound);
    this.#tellSearch();
    this.element.classList.toggle("bnviz-rewound", rewound);
    this.#showPlay();
  }
}

function key(pace) {
  return pace === "1/s" ? "one" : pace;
}
