// Under which address others reach this page: where it was opened as localhost, by that of the
// computer in its network, if the server takes requests from there.

import { h } from "../lib/dom.js";

/**
 * @param here what the page says of the server (bnviz/ui/sharing.py); null: others reach it as it is
 * @returns {origin: string, element: Node or null, onchange}: what links begin with, and what is to be said
 */
export function classAddress(here, t, place = location) {
  const address = { origin: place.origin, element: null, onchange: () => {} };
  if (!here) return address;
  const say = (key, values) => t(`sharing.here.${key}`, values);
  const at = (host) => `${place.protocol}//${host}${place.port ? `:${place.port}` : ""}`;
  const [host] = here.hosts;
  if (host && here.listens) {
    address.origin = at(host);
    address.element = h("div", { class: "bnviz-share-here" }, h("p", {}, say("instead", { name: place.hostname, host })),
      here.hosts.length > 1 ? chooser(here.hosts, say, (chosen) => {
        address.origin = at(chosen);
        address.onchange();
      }) : null);
    return address;
  }
  address.element = h("div", { class: "bnviz-share-here", role: "note" },
    h("p", {}, h("strong", {}, say("only", { name: place.hostname }))),
    h("p", {}, say("serve"), " ", h("code", {}, here.command), " ",
      host ? say("then", { address: at(host) + place.pathname }) : say("no_network")));
  return address;
}

function chooser(hosts, say, onchange) {
  return h("label", {}, say("choose"), " ",
    h("select", { onchange: (event) => onchange(event.target.value) }, ...hosts.map((host) => h("option", {}, host))));
}
