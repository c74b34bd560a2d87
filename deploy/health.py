#!/usr/bin/env python3
"""Exit with 0 if the server on this machine responds and at least one of its workers is ready.

`health.py [ADDRESS]`: the address is http://127.0.0.1:$PORT by default, with PORT 8501.
"""

import json
import os
import sys
import urllib.request

SECONDS = 5.0


def main() -> str | None:
    """Return what is wrong, or None."""
    address = (
        sys.argv[1] if len(sys.argv) > 1 else f"http://127.0.0.1:{os.environ.get('PORT', 8501)}"
    )
    # Never ask a proxy for this machine's own address.
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    try:
        with ask(f"{address.rstrip('/')}/status?as=json", timeout=SECONDS) as answer:
            workers = json.load(answer)["workers"]
    except (OSError, ValueError, KeyError) as error:
        return f"no status from {address}: {error!r}"
    ready = sum(worker["ready"] for worker in workers)
    print(f"{ready} of {len(workers)} workers are ready")
    return None if ready else "no worker is ready"


if __name__ == "__main__":
    sys.exit(main())
