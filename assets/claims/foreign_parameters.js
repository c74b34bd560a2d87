// Names in an address that other sites put there to count visits: no page of ours says anything of
// them. The same as in bnviz/ui/foreign_parameters.py.

const PREFIXES = ["utm_", "mtm_", "pk_", "hsa_", "_hs"];
const NAMES = new Set([
  "fbclid", "gclid", "gclsrc", "gbraid", "wbraid", "dclid", "gad_source", "gad_campaignid",
  "srsltid", "msclkid", "twclid", "ttclid", "yclid", "ysclid", "li_fat_id", "rdt_cid",
  "igshid", "igsh", "mc_cid", "mc_eid", "mkt_tok", "vero_id", "oly_anon_id", "oly_enc_id",
  "wickedid", "s_cid", "ref_src", "ref_url", "_ga", "_gl",
]);

/** Whether a name in an address is one of those. */
export function foreign(name) {
  const small = name.toLowerCase();
  return NAMES.has(small) || PREFIXES.some((prefix) => small.startsWith(prefix));
}
