"""How numbers are written; `assets/live/lib/format.js` writes them.

"number": two significant digits ("0", "0.21", "3.1", "12", "420", "1.1e-8", "5e4"). "count": the
nearest whole number, grouped. "percent0" and "percent1": a share in percent that rounds neither to
0 nor to 100 what is not ("0.3 %", "99.7 %", "<0.1 %", ">99.9 %").
"""

from __future__ import annotations

from typing import Literal

Format = Literal["percent0", "percent1", "number", "count"]
