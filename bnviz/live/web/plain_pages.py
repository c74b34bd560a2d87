"""Pages for phones on bad Wi-Fi: whole as they are sent, without Streamlit and our modules."""

from __future__ import annotations

import re

# The page to type a code, a ballot, the page that follows the teacher; after any base path.
_PLAIN = re.compile(r"(?:/[^/]+)*/[bw](?:/[^/]*)?/?")


def is_plain(path: str) -> bool:
    """Whether a path leads to such a page, which nothing may be put into."""
    return _PLAIN.fullmatch(path) is not None
