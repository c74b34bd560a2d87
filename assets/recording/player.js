// Player for the recording of a talk. The page is one file without modules that works offline, for example from a
// memory stick. It draws measured values and computes nothing itself.
"use strict";
(() => {
  const { data, title, stations, words, knobs, networks, colours } = JSON.parse(document.getElementById("recording").textContent);
  const [FAST, SLOW] = [90, 600]; // ms per frame: normally, and around a break that the stop of the talk is about
  const [BEFORE, AFTER] = [6, 14]; // steps around that break
  const LETTERS = "ABCD"; // labels of the answers
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const { drawRows, drawGradients, drawOverTime } = recordedCharts({ networks, knobs, colour, from: words.from });
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (slot, name) => values[name] ?? slot);
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };

  // For each stop of the talk: its chapter of the recording, and the indices of its first and its last frame.
  const spans = stations.map((station, i) => {
    const chapter = data.chapters.find(({ stops }) => stops.some(([number]) => number === i + 1));
    const at = chapter.stops.findIndex(([number]) => number === i + 1);
    let [from, until] = [chapter.stops[at][1], chapter.stops[at + 1]?.[1] ?? chapter.frames.at(-1).step];
    if (station.does === "show_break") {
      const broke = Object.values(chapter.frames.at(-1).networks).map((network) => network.broke).filter((step) => step !== null);
      if (broke.length) [from, until] = [Math.max(0, Math.min(...broke) - BEFORE), Math.min(...broke) + AFTER];
    }
    const index = (step) => Math.max(0, chapter.frames.findLastIndex((frame) => frame.step <= step));
    return { chapter, first: index(from), last: index(until), slow: station.does === "show_break" };
  });

  let station = 0;
  let at = 0; // index of the current frame in its chapter
  let timer = null;
  let cards = [];

  const main = document.querySelector("main");
  const heading = make("h1");
  const say = make("p", { class: "say" });
  const back = make("button", { type: "button", onclick: () => go(station - 1) }, "‹");
  const next = make("button", { type: "button", onclick: () => go(station + 1) }, "›");
  const play = make("button", { type: "button", class: "play", onclick: () => toggle() });
  const holder = make("div", { class: "cards" });
  const chart = make("canvas", { "aria-hidden": "true" });
  const shows = make("h2");
  const range = make("input", { type: "range", min: 0, step: 1, "aria-label": words.steps, oninput: () => show(Number(range.value)) });
  const output = make("output", {});
  main.append(
    make("header", {}, make("span", { class: "mark" }, words.mark), heading, make("div", { class: "controls", title: words.keys }, back, play, next), say),
    holder, make("section", { class: "time" }, shows, chart, make("div", { class: "scrub" }, range, output)));

  function go(number) {
    if (!spans[number]) return;
    stop();
    station = number;
    const { chapter, first } = spans[number];
    heading.replaceChildren(make("small", {}, fill(words.of, { number: number + 1, count: stations.length })), stations[number].title);
    const { ask, answers, say: sentence } = stations[number];
    const lettered = answers.map((answer, i) => make("span", { class: "answer" }, make("b", {}, LETTERS[i]), ` ${answer}`));
    say.replaceChildren(make("b", {}, ask), ...lettered.flatMap((answer) => [" ", answer]), sentence && `${answers.length ? " · " : " "}${sentence}`);
    shows.textContent = words.chart[stations[number].chart];
    document.title = `${words.mark}: ${title} · ${stations[number].title}`;
    for (const [button, other, key] of [[back, number - 1, "back"], [next, number + 1, "next"]]) {
      button.disabled = !spans[other];
      button.setAttribute("aria-label", spans[other] ? fill(words[key], { title: stations[other].title }) : "");
    }
    cards = chapter.norms.map((norm) => {
      const canvas = make("canvas", { "aria-hidden": "true" });
      const headline = make("span");
      const where = make("small");
      const accuracy = make("span", { role: "text" });
      const element = make("article", { style: `--own: ${colour(norm)}` }, make("h2", {}, headline, where, accuracy), canvas);
      return { norm, canvas, headline, where, accuracy, element };
    });
    holder.replaceChildren(...cards.map(({ element }) => element));
    range.max = chapter.frames.length - 1;
    show(first);
    if (!stations[number].waits) toggle(); // at other stops, the class predicts the result before the run is played
  }

  /**
   * Return whether the class has predicted a result and the run has not been played yet. As in the presentation view,
   * the clicker then plays the run before it goes to the next stop.
   */
  function waitsToPlay() {
    const { first, last } = spans[station];
    return stations[station].waits && !timer && at === first && first < last;
  }

  function toggle() {
    if (timer) return stop();
    const span = spans[station];
    if (at >= span.last) show(span.first);
    play.textContent = words.pause;
    timer = setInterval(() => {
      if (at >= span.last) stop();
      else show(at + 1);
    }, span.slow ? SLOW : FAST);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = words.play;
  }

  function show(index) {
    const { chapter } = spans[station];
    at = Math.max(0, Math.min(chapter.frames.length - 1, index));
    const frame = chapter.frames[at];
    range.value = at;
    const said = fill(words.step, { step: frame.step });
    output.textContent = said;
    range.setAttribute("aria-valuetext", said);
    for (const card of cards) {
      const network = frame.networks[card.norm];
      const name = networks[card.norm];
      const broke = network.broke !== null && network.broke <= frame.step ? `: ${fill(words.broke, { step: network.broke })}` : "";
      card.where.textContent = broke && network.layer && !stations[station].asks_layer ? firstIn(network.layer) : "";
      card.headline.textContent = name[0].toUpperCase() + name.slice(1) + broke;
      const share = network.accuracy === null ? words.unknown : `${(100 * network.accuracy).toFixed(1)} %`;
      card.accuracy.textContent = share;
      card.accuracy.title = words.accuracy;
      card.accuracy.setAttribute("aria-label", `${words.accuracy} ${share}`);
      drawRows(card.canvas, chapter, network, colour(card.norm));
    }
    if (stations[station].chart === "gradients") drawGradients(chart, chapter, frame);
    else drawOverTime(chart, chapter, frame.step, stations[station].chart);
  }

  /** Return words for the layer that broke first: "layer 3", "time 2" or "output". */
  function firstIn(layer) {
    const [kind, number] = layer.split(" ");
    return fill(words.first, { place: fill(words.place[kind], { number }) });
  }

  function colour(norm) {
    return colours[norm][dark.matches ? 1 : 0];
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = event.target instanceof HTMLButtonElement;
    const ways = {
      PageDown: () => (waitsToPlay() ? toggle() : go(station + 1)), PageUp: () => go(station - 1),
      ArrowRight: () => (stop(), show(at + 1)), ArrowLeft: () => (stop(), show(at - 1)),
    };
    const way = event.key === " " && !onButton ? toggle : ways[event.key];
    if (!way) return;
    event.preventDefault();
    way();
  });
  addEventListener("resize", () => show(at));
  dark.addEventListener("change", () => go(station));
  go(0);
})();
