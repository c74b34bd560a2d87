// The channel of the browser over which a stage and the window of its notes talk. Each tab with a stage has its own.

import { readFromTab, storeInTab } from "./storage.js";

const KEY = "bnviz-notes"; // in the tab's storage

/** The name of a stage's channel, by its token. */
export function channelName(token) {
  return `bnviz-notes-${token}`;
}

/** The token of this tab, which stays the same when its page is loaded anew. */
export function tabToken() {
  const token = readFromTab(KEY) ?? Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  storeInTab(KEY, token);
  return token;
}
