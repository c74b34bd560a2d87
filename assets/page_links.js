// Links between the app's pages are followed within the page, so that the session goes on, and the
// lab's run with it. Streamlit listens to the browser's Back and Forward; such a link is a step of
// that kind. Without this module they are plain links.

//
// What a widget says at the same moment still names the page before, and would lead back to it: then
// the link is followed once more.

// A class follows this tab from page to page, those without a live view too.
try {
  if (sessionStorage.getItem("bnviz-room")) import("./live/class/room_link.js").then(({ theRoom }) => theRoom());
} catch {
  // A page in a closed-off frame has no storage, and no class.
}

const [WATCHED, EVERY] = [2500, 100]; // ms
let watching = null;

function follow(href) {
  history.pushState({}, "", href);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}

function follows(href) {
  const [from, until] = [location.pathname, performance.now() + WATCHED];
  follow(href);
  clearInterval(watching);
  if (new URL(href).pathname === from) return;
  watching = setInterval(() => {
    if (performance.now() > until) clearInterval(watching);
    else if (location.pathname === from) follow(href);
  }, EVERY);
}

// Back and Forward are the visitor's own.
addEventListener("popstate", ({ isTrusted }) => isTrusted && clearInterval(watching), true);

addEventListener("click", (event) => {
  const link = event.composedPath().find((part) => part instanceof HTMLAnchorElement && "page" in part.dataset);
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.href === location.href) return;
  follows(link.href);
});

// To a run that stands here as well: at the step to which it was rewound.
addEventListener("click", (event) => {
  const link = event.composedPath().find((part) => part instanceof HTMLAnchorElement && "run" in part.dataset);
  if (!link) return;
  const view = document.querySelector(`[data-testid="live-view"][data-run="${CSS.escape(link.dataset.run)}"]`);
  const address = new URL(link.href);
  if (view?.dataset.time === "pinned") address.searchParams.set("at", view.dataset.step);
  else address.searchParams.delete("at");
  link.href = address.href;
}, true);

// Out of a frame: the same address, as it is by then, without the frame's word.
addEventListener("click", (event) => {
  const link = event.composedPath().find((part) => part instanceof HTMLAnchorElement && "open" in part.dataset);
  if (!link) return;
  const whole = new URL(location.href);
  for (const name of ["embed", "embed_options"]) whole.searchParams.delete(name);
  link.href = whole.href;
}, true);

// Key p: the stage for a hall, and back, on every page that has one. The live view's own keys come first.
const STAGED = /\/(lab|lessons|map)$/;
const TYPING = "input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox], dialog";
addEventListener("keydown", (event) => {
  if (event.key !== "p" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const place = new URL(location.href);
  if (!STAGED.test(place.pathname) || place.searchParams.has("embed") || event.target.closest?.(TYPING)) return;
  if (place.searchParams.get("present") === "1") place.searchParams.delete("present");
  else place.searchParams.set("present", "1");
  location.assign(place);
});
