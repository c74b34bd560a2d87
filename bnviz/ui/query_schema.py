"""Names in an address that other sites put there to count visits. They are nobody's business here:
no page reads them, and none says anything of them.
"""

from __future__ import annotations

FOREIGN_PREFIXES = ("utm_", "mtm_", "pk_", "hsa_", "_hs")
FOREIGN_NAMES = frozenset(
    {
        "fbclid", "gclid", "gclsrc", "gbraid", "wbraid", "dclid", "gad_source", "gad_campaignid",
        "srsltid", "msclkid", "twclid", "ttclid", "yclid", "ysclid", "li_fat_id", "rdt_cid",
        "igshid", "igsh", "mc_cid", "mc_eid", "mkt_tok", "vero_id", "oly_anon_id", "oly_enc_id",
        "wickedid", "s_cid", "ref_src", "ref_url", "_ga", "_gl",
    }
)  # fmt: skip


def is_foreign(name: str) -> bool:
    """Whether a name in an address is one of those, in small letters or large ones."""
    small = name.lower()
    return small in FOREIGN_NAMES or small.startswith(FOREIGN_PREFIXES)
