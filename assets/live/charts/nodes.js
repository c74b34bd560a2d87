// What lies over layers that are drawn as nodes: a frame round the one in which a network broke, and a
// button for each that opens other charts: bindings of kind "nodecallout" and "doors".

import { h, setHidden, setText } from "../lib/dom.js";
import { capitalize } from "../lib/texts.js";
import { brokenRow } from "./callouts.js";

const ABOVE = 4; // px of a button over the nodes
const BESIDE = 12; // px from the network's name to what is said of it
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

export class Nodes {
  #patcher;
  #view;
  #callouts;
  #doors;

  /** @param frame the positioned element around the figure */
  constructor(frame, patcher, spec, view) {
    this.#patcher = patcher;
    this.#view = view;
    const of = (kind) => spec.bindings.filter((binding) => binding.kind === kind);
    this.#callouts = of("nodecallout").map((binding) => this.#callout(frame, binding));
    this.#doors = of("doors").filter(({ opens }) => view.charts.has(opens)).map((binding) => this.#made(frame, binding));
  }

  #callout(frame, binding) {
    const parts = {
      box: h("div", { class: "bnviz-node-broken", hidden: true, "aria-hidden": true }),
      words: h("span", { class: "bnviz-node-words", hidden: true, "aria-hidden": true }),
    };
    frame.append(...Object.values(parts));
    return { binding, ...parts };
  }

  /** One stop of the Tab key for all buttons of a figure; arrows go from one to the next. */
  #made(frame, binding) {
    const { names, label, opens, selector } = binding;
    const buttons = names.map((name, i) => {
      const words = capitalize(label.replace("{name}", name));
      return h("button", {
        type: "button", class: "bnviz-door", title: words, "aria-label": words, tabindex: i ? -1 : 0,
        onclick: () => this.#view.charts.openAt(opens, selector, i),
      });
    });
    const group = h("div", { class: "bnviz-doors", role: "group", "aria-label": frame.closest("section").getAttribute("aria-label"), onkeydown: (event) => step(event, buttons) }, ...buttons);
    group.addEventListener("focusin", ({ target }) => {
      for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
    });
    frame.removeAttribute("aria-hidden"); // the figure in it has its own
    frame.append(group);
    return { binding, buttons };
  }

  /**
   * @param frame the one shown
   * @param colours {text} by norm
   * @param quiet whether the layer is what a class is asked
   */
  draw(frame, colours, quiet) {
    for (const part of this.#callouts) this.#point(part, frame, colours, quiet);
    for (const { binding, buttons } of this.#doors) this.#place(binding, buttons);
  }

  #point({ binding, box, words }, frame, colours, quiet) {
    const found = quiet ? null : brokenRow(binding, frame);
    const [across, down] = [binding.x, binding.y].map((name) => this.#patcher.axisNamed(name));
    const shown = Boolean(found && across?._length && down?._length);
    for (const element of [box, words]) setHidden(element, !shown);
    if (!shown) return;
    for (const element of [box, words]) element.style.setProperty("--colour", colours[binding.network]?.text ?? "");
    const [left, right] = binding.spans[found.number - 1].map((value) => across._offset + across.d2p(value));
    const [bottom, top] = binding.reach.map((value) => down._offset + down.d2p(value));
    Object.assign(box.style, { translate: `${left}px ${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
    setText(words, capitalize(found.words.replace("\n", " ")));
    this.#putBeside(words, binding.heading);
  }

  /** Put words after an annotation of the figure, on its line. */
  #putBeside(words, annotation) {
    const { element } = this.#patcher;
    const looks = `${element.clientWidth} ${element.clientHeight}`;
    if (words.dataset.looks === looks) return;
    const heading = element.querySelector(`.annotation[data-index="${annotation}"] text`)?.getBoundingClientRect();
    if (!heading) return;
    words.dataset.looks = looks;
    const from = element.getBoundingClientRect();
    words.style.translate = `${heading.right - from.left + BESIDE}px ${heading.bottom - from.top}px`;
  }

  #place({ x, spans, opens, selector }, buttons) {
    const axis = this.#patcher.axisNamed(x);
    if (!axis?._length) return;
    const { t = 0, h: high = 0 } = this.#patcher.element._fullLayout._size ?? {};
    const chosen = this.#view.charts.chosenIn(opens[0], selector);
    buttons.forEach((button, i) => {
      const [left, right] = spans[i].map((value) => axis._offset + axis.d2p(value));
      const from = Math.max(0, left);
      Object.assign(button.style, { left: `${from}px`, width: `${right - from}px`, top: `${t - ABOVE}px`, height: `${high + ABOVE}px` });
      button.setAttribute("aria-pressed", String(chosen === i));
    });
  }
}

function step(event, buttons) {
  const at = buttons.indexOf(event.target);
  const to = { Home: 0, End: buttons.length - 1 }[event.key] ?? at + (STEPS[event.key] ?? NaN);
  if (!buttons[to]) return;
  event.preventDefault();
  buttons[to].focus();
}
