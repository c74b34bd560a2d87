// Plays the recording of a talk from one file, without a network and without a module: a page opened
// from a memory stick can load neither. It computes nothing; it draws what was measured.
"use strict";
(() => {
  const { data, title, stations, words, knobs, networks, colours } = JSON.parse(document.getElementById("recording").textContent);
  const BINS = 64;
  const [FAST, SLOW] = [90, 600]; // ms a frame: while it plays, and around the break that is shown
  const [BEFORE, AFTER] = [6, 14]; // steps around it
  const STRETCH = 1.6; // the most usual peaks fill two thirds of their row; higher ones are cut off
  const TICKS = [1, 2, 5, 10, 20, 50, 100, 200];
  const REACH = Math.asinh(1000);
  const FLAT = { tanh: [Math.atanh(0.9)], sigmoid: [Math.log(19)] }; // where the activation is flat
  const dark = matchMedia("(prefers-color-scheme: dark)");
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
  const unpack = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  // Where each station stands: its chapter, and its frames from one to another.
  const places = stations.map((station, i) => {
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
  let at = 0; // frame of the chapter
  let timer = null;
  let cards = [];

  const main = document.querySelector("main");
  const heading = make("h1");
  const say = make("p", { class: "say" });
  const back = make("button", { type: "button", onclick: () => go(station - 1) }, "‹");
  const next = make("button", { type: "button", onclick: () => go(station + 1) }, "›");
  const play = make("button", { type: "button", class: "play", onclick: () => toggle() });
  const holder = make("div", { class: "cards" });
  const loss = make("canvas", { "aria-hidden": "true" });
  const range = make("input", { type: "range", min: 0, step: 1, "aria-label": words.steps, oninput: () => show(Number(range.value)) });
  const output = make("output", {});
  main.append(
    make("header", {}, make("span", { class: "mark" }, words.mark), heading, make("div", { class: "controls", title: words.keys }, back, play, next), say),
    holder, make("section", { class: "time", "aria-label": words.loss }, loss, make("div", { class: "scrub" }, range, output)));

  function go(number) {
    if (!places[number]) return;
    stop();
    station = number;
    const { chapter, first } = places[number];
    heading.replaceChildren(make("small", {}, fill(words.of, { number: number + 1, count: stations.length })), stations[number].title);
    say.replaceChildren(make("b", {}, stations[number].ask), ` ${stations[number].say}`);
    document.title = `${words.mark}: ${title} · ${stations[number].title}`;
    for (const [button, other, key] of [[back, number - 1, "back"], [next, number + 1, "next"]]) {
      button.disabled = !places[other];
      button.setAttribute("aria-label", places[other] ? fill(words[key], { title: stations[other].title }) : "");
    }
    cards = chapter.norms.map((norm) => {
      const canvas = make("canvas", { "aria-hidden": "true" });
      const headline = make("span");
      const accuracy = make("span", { role: "text" });
      const element = make("article", { style: `--own: ${colour(norm)}` }, make("h2", {}, headline, accuracy), canvas);
      return { norm, canvas, headline, accuracy, element };
    });
    holder.replaceChildren(...cards.map(({ element }) => element));
    range.max = chapter.frames.length - 1;
    show(first);
    if (number > 0) toggle(); // the first one waits for the prediction
  }

  function toggle() {
    if (timer) return stop();
    const place = places[station];
    if (at >= place.last) show(place.first);
    play.textContent = words.pause;
    timer = setInterval(() => {
      if (at >= place.last) stop();
      else show(at + 1);
    }, place.slow ? SLOW : FAST);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = words.play;
  }

  function show(index) {
    const { chapter } = places[station];
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
      card.headline.textContent = name[0].toUpperCase() + name.slice(1) + broke;
      const share = network.accuracy === null ? words.unknown : `${(100 * network.accuracy).toFixed(1)} %`;
      card.accuracy.textContent = share;
      card.accuracy.title = words.accuracy;
      card.accuracy.setAttribute("aria-label", `${words.accuracy} ${share}`);
      drawRows(card.canvas, chapter, network, colour(card.norm));
    }
    drawLoss(chapter, frame.step);
  }

  function colour(norm) {
    return colours[norm][dark.matches ? 1 : 0];
  }

  function style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name);
  }

  function paper(canvas) {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    return { pen, width, height };
  }

  /** The layers' distributions, output on top, on an axis that is linear near 0; shaded where it is flat. */
  function drawRows(canvas, chapter, network, line) {
    const { pen, width, height } = paper(canvas);
    const rows = unpack(network.rows);
    const count = rows.length / BINS;
    const [left, foot] = [width < 420 ? 30 : 46, 26];
    const across = (bin) => left + (bin / BINS) * (width - left - 8);
    const on = (value) => left + ((Math.asinh(value) + REACH) / (2 * REACH)) * (width - left - 8);
    const row = (height - foot) / count;
    pen.fillStyle = style("--zone");
    for (const edge of FLAT[chapter.activation] ?? []) {
      pen.fillRect(left, 0, on(-edge) - left, height - foot);
      pen.fillRect(on(edge), 0, width - 8 - on(edge), height - foot);
    }
    pen.font = `${Math.min(20, Math.max(12, row - 2))}px system-ui, sans-serif`;
    pen.textBaseline = "alphabetic";
    const every = Math.ceil(22 / row);
    for (let layer = 0; layer < count; layer++) {
      const base = height - foot - layer * row;
      pen.beginPath();
      pen.moveTo(left, base);
      for (let bin = 0; bin < BINS; bin++) {
        const up = base - Math.min(0.95, (rows[layer * BINS + bin] / 255) * STRETCH) * row;
        pen.lineTo(across(bin), up);
        pen.lineTo(across(bin + 1), up);
      }
      pen.lineTo(width - 8, base);
      pen.globalAlpha = 0.3;
      pen.fillStyle = line;
      pen.fill();
      pen.globalAlpha = 1;
      pen.strokeStyle = line;
      pen.lineWidth = 1.5;
      pen.stroke();
      pen.fillStyle = style("--quiet");
      pen.textAlign = "right";
      if (layer % every === 0) pen.fillText(String(layer + 1), left - 8, base - 3);
    }
    pen.font = "18px system-ui, sans-serif";
    pen.textAlign = "center";
    for (const tick of width < 420 ? [-100, 0, 100] : [-100, -10, -1, 0, 1, 10, 100]) pen.fillText(String(tick).replace("-", "−"), on(tick), height - 4);
  }

  /** The test loss of every network over the chapter's steps, what has been shown of it in full colour. */
  function drawLoss(chapter, now) {
    const { pen, width, height } = paper(loss);
    const [left, foot, top] = [64, 26, 26];
    const values = chapter.frames.flatMap(({ networks: all }) => Object.values(all).map((network) => network.loss)).filter((value) => value > 0);
    const [low, high] = [Math.log10(Math.min(...values)) - 0.1, Math.log10(Math.max(...values)) + 0.1];
    const last = chapter.frames.at(-1).step;
    const x = (step) => left + (step / last) * (width - left - 150);
    const y = (value) => top + ((high - Math.log10(value)) / (high - low)) * (height - top - foot);
    pen.font = "18px system-ui, sans-serif";
    pen.fillStyle = style("--quiet");
    pen.strokeStyle = style("--line");
    pen.textAlign = "right";
    for (let power = Math.ceil(low); power <= high; power++) {
      pen.fillText(String(Number((10 ** power).toPrecision(1))), left - 8, y(10 ** power) + 6);
      pen.strokeRect(left, y(10 ** power), width - left - 150, 0);
    }
    pen.textAlign = "center";
    const apart = TICKS.find((ticks) => (60 * last) / ticks <= width - left - 150) ?? last;
    for (let step = 0; step <= last; step += apart) pen.fillText(String(step), x(step), height - 4);
    for (const { step, values: moved } of chapter.changes) {
      if (step > now) continue;
      pen.strokeStyle = pen.fillStyle = style("--ink");
      pen.strokeRect(x(step), top - 4, 0, height - top - foot + 4);
      const [[knob, value]] = Object.entries(moved);
      pen.textAlign = "left";
      pen.fillText(fill(words.from, { knob: knobs[knob] ?? knob, value }), x(step) + 6, top - 8);
    }
    pen.lineWidth = 3;
    const ends = [];
    for (const [i, norm] of chapter.norms.entries()) {
      const shown = chapter.frames.filter(({ step, networks: all }) => step <= now && all[norm].loss > 0);
      pen.strokeStyle = pen.fillStyle = colour(norm);
      pen.setLineDash([[10, 6], [], [3, 4]][i % 3]);
      pen.beginPath();
      for (const { step, networks: all } of shown) pen.lineTo(x(step), y(all[norm].loss));
      pen.stroke();
      if (shown.length) ends.push({ norm, x: x(shown.at(-1).step), y: y(shown.at(-1).networks[norm].loss) });
    }
    pen.setLineDash([]);
    pen.lineWidth = 1;
    // Names at the ends of the lines, apart from one another.
    ends.sort((a, b) => a.y - b.y).forEach((end, i) => {
      const above = ends[i - 1];
      end.label = above ? Math.max(end.y, above.label + 20) : end.y;
      pen.fillStyle = colour(end.norm);
      pen.textAlign = "left";
      pen.fillText(networks[end.norm], end.x + 8, end.label + 6);
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = event.target instanceof HTMLButtonElement;
    const ways = {
      PageDown: () => go(station + 1), PageUp: () => go(station - 1),
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
