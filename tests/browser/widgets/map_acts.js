// Functions that return the messages, requests, links and files of the map's components.

import { viewOf } from "/tests/map_parts.js";

const load = (name) => import(`/assets/v1/${name}.js`);

/** Return the messages that the card of the selected cell sends to the script while `rows` arrive one by one. */
export async function tells({ rows, known = 0, ...given }) {
  const { CellCard } = await load("map/cell");
  const view = await viewOf(given);
  const card = new CellCard(view);
  card.known = known;
  for (const row of rows) {
    view.model.take([row]);
    card.update();
  }
  return view.sent;
}

/** Return two links of the *Share* dialog: one when the dialog opens, and one after its checkbox has been toggled. */
export async function share({ query, ...given }) {
  const { openShare } = await load("map/dialogs");
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  const here = location.href;
  history.replaceState(null, "", `/map?${query}`);
  openShare(await viewOf({ ...given, root }));
  const box = root.querySelector("dialog");
  const tick = box.querySelector("input[type=checkbox]");
  const shown = () => [box.querySelector(".bnviz-copy input").value, box.querySelector(".bnviz-share-does").textContent, tick.checked,
    new URL(box.querySelector(".bnviz-qr").src).searchParams.get("data")];
  const found = [shown()];
  tick.click();
  found.push(shown());
  box.close();
  history.replaceState(null, "", here);
  return found;
}

/** Return the links of the *Export* dialog as [address, file name], and the command that it shows. */
export async function exported(given) {
  const { openExport } = await load("map/dialogs");
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  openExport(await viewOf({ ...given, root }));
  const box = root.querySelector("dialog");
  const links = [...box.querySelectorAll("a")].map((link) => [link.getAttribute("href"), link.download]);
  const found = [links, box.querySelector(".bnviz-copy input")?.value ?? null];
  box.close();
  return found;
}

/** Return a feed's requests, answers and problems for a sequence of server responses. Then end the feed. */
export async function fed({ answers, wanted, held = [] }) {
  const { FeedReader } = await load("map/feed");
  const { fetch } = window;
  const [asked, heard, problems] = [[], [], []];
  await new Promise((over) => {
    window.fetch = async (address) => {
      const answer = answers[asked.length];
      asked.push(new URL(address, location.href).search);
      if (!answer) return new Promise(over); // after the last response, the feed waits forever
      if (held.includes(asked.length)) feed.hold(true);
      return { status: answer.http ?? 200, ok: !answer.http, json: async () => answer };
    };
    const feed = new FeedReader({
      address: "/maps/key", wanted, onanswer: (answer) => heard.push(answer.n), ontrouble: (trouble) => problems.push(trouble),
    });
    window.endFeed = () => feed.end();
  });
  window.endFeed();
  window.fetch = fetch;
  return { asked, heard, problems };
}

/** Return the results of `model[name](...)` for a list of calls. */
export async function modelled({ calls, ...given }) {
  const { model } = await viewOf(given);
  return calls.map(([name, ...more]) => model[name](...more));
}

/** Return the values of an axis at the given places, and the given values as formatted text. */
export async function along({ axis, places, values }) {
  const { MapAxis } = await load("map/axis");
  const made = new MapAxis(axis);
  return [places.map((place) => made.value(place)), values.map((value) => made.write(value))];
}

/** Return whether a map in a frame has buttons, and what the key that draws the map does there. */
export async function framed(given) {
  const [{ MapHeader }, { act }] = [await load("map/header"), await load("map/buttons_and_keys")];
  const view = await viewOf({ ...given, wants: [], want: (wanted) => view.wants.push(wanted) });
  const head = new MapHeader(view);
  head.show(null, null);
  return [!head.buttons.hidden, act(view, "draw"), view.wants];
}
