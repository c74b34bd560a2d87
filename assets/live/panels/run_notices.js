// Which of the run's events become banners.

import { said } from "../lib/texts.js";

/** Connect a view's store with its notices. */
export function showRunNotices(view) {
  const { notices, store } = view;
  notices.clear();
  store.on("connection", (state) => {
    if (state === "lost") notices.show("disconnected", {}, { sticky: true });
    else if (state === "open") notices.hide("disconnected");
    view.paint();
  });
  store.on("notice", ({ key, values }) => {
    const actions = {
      reload: { label: view.t("notice.reload_now"), run: () => location.reload() },
      expired: { label: view.t("notice.start_anew"), run: () => view.act("reset") },
    };
    const action = key === "expired" && !view.data.can_control ? null : actions[key];
    const message = said(view.t, values ?? {});
    notices.show(key, { ...values, message }, action ? { sticky: true, action } : {});
    if (key === "note") view.transport.settle();
    view.paint();
  });
  store.on("status", ({ queue }) => {
    showFailure(view);
    const place = queue ?? store.queue;
    if (place && store.status === "queued") notices.show("queued", { place }, { sticky: true });
    else notices.hide("queued");
  });
  store.on("error", (problem) => notices.show("error", { message: said(view.t, problem) }));
  store.on("moved", ({ run }) => {
    if (view.data.can_control) return; // this tab goes there by itself
    const follow = () => view.script.send("follow", { run }); // a class stays with its teacher
    notices.show("moved", {}, { sticky: true, action: { label: view.t("notice.follow"), run: follow } });
    if (!view.time.rewound) follow();
  });
}

/** A run that ended with an error must be acted on; the other reasons stand in the transport. */
function showFailure({ notices, store, t }) {
  if (store.reason === "failed" && store.status !== "running") notices.show("reason.failed", {}, { sticky: true });
  else notices.hide("reason.failed");
}
