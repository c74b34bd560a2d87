// Link handling that all pages share, and the key that opens the presentation view. A link to another page of the app
// is followed without reloading the app, so that the session and the lab's run continue. The address changes as with
// the browser's Back and Forward buttons, and Streamlit reacts to that change. Without this module, the links are
// ordinary links.

// If this tab belongs to a class, report to the class every page that the tab opens, even pages without a live view.
try {
  if (sessionStorage.getItem("bnviz-room")) import("./classroom/room_link.js").then(({ theRoom }) => theRoom());
} catch {
  // A page in a sandboxed frame has no storage, and no class.
}

// time in ms during which a link is followed again if Streamlit returns to the previous page, and ms between two checks
const [WATCHED, EVERY] = [2500, 100];
let watching = null;

function follow(href) {
  history.pushState({}, "", href);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}

/**
 * Follow a link. If a widget sends a message at the same time, Streamlit may return to the previous page. In that case,
 * follow the link again.
 */
function followForGood(href) {
  const [from, until] = [location.pathname, performance.now() + WATCHED];
  follow(href);
  // Scroll to the top first, because Streamlit keeps the scroll position for the next page.
  if (!new URL(href).hash) document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0, behavior: "instant" });
  clearInterval(watching);
  if (new URL(href).pathname === from) return;
  watching = setInterval(() => {
    if (performance.now() > until) clearInterval(watching);
    else if (location.pathname === from) follow(href);
  }, EVERY);
}

// If the visitor goes back, stop the checks, so that the link is not followed again.
addEventListener("popstate", ({ isTrusted }) => isTrusted && clearInterval(watching), true);

/** Return the link that was clicked, if it has an attribute `data-<name>`. */
function linkOf(event, name) {
  return event.composedPath().find((part) => part instanceof HTMLAnchorElement && name in part.dataset);
}

addEventListener("click", (event) => {
  const link = linkOf(event, "page");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.href === location.href) return;
  followForGood(link.href);
});

// If this page shows the run that the link opens, rewound to a step, add that step to the link.
addEventListener("click", (event) => {
  const link = linkOf(event, "run");
  if (!link) return;
  const view = document.querySelector(`[data-testid="live-view"][data-run="${CSS.escape(link.dataset.run)}"]`);
  const address = new URL(link.href);
  if (view?.dataset.time === "pinned") address.searchParams.set("at", view.dataset.step);
  else address.searchParams.delete("at");
  link.href = address.href;
}, true);

// A link that leaves a frame opens the current address without the parameters that only a framed page needs.
addEventListener("click", (event) => {
  const link = linkOf(event, "open");
  if (!link) return;
  const address = new URL(location.href);
  for (const name of ["embed", "embed_options"]) address.searchParams.delete(name);
  link.href = address.href;
}, true);

// The key "p" opens and closes the presentation view on every page that has one. If the page has a live view, the live
// view handles this key itself.
const WITH_STAGE = /\/(lab|lessons|map)$/;
const TYPING = "input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox], dialog";
addEventListener("keydown", (event) => {
  if (event.key !== "p" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const address = new URL(location.href);
  if (!WITH_STAGE.test(address.pathname) || address.searchParams.has("embed") || event.target.closest?.(TYPING)) return;
  if (address.searchParams.get("present") === "1") address.searchParams.delete("present");
  else address.searchParams.set("present", "1");
  location.assign(address);
});
