"""Who votes: a signed name in a cookie of its own, that says nothing of who controls a run.

A link that was scanned comes from another application, which SameSite=Strict would take for another
site: a phone that comes back would be a new one. So the cookie `bnviz_ballot` is SameSite=Lax. A
vote is a POST, which other sites' pages send without it.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Scope

from bnviz.live.addresses import networks, source
from bnviz.live.errors import TooOften
from bnviz.live.rate_limit import RateLimiter
from bnviz.live.settings import Settings
from bnviz.live.web.cookies import Signer, cookie_values, is_encrypted
from bnviz.words.phrase import phrase

COOKIE = "bnviz_ballot"
PURPOSE = b"bnviz ballot 1:"
# A class that meets every week votes with the same ballots for a term.
MAX_AGE = 120 * 24 * 3600


class BallotIssuer:
    """Gives out ballots, and counts what else an address may have only so many of.

    Attributes:
        signer: tells its ballots from invented ones.
    """

    def __init__(self, settings: Settings) -> None:
        self.signer = Signer(settings.secret, PURPOSE)
        self._trusted = networks(settings.trusted_proxies)
        self._ballots = RateLimiter(settings.cookies_per_minute)
        self._rooms = RateLimiter(settings.rooms_per_minute)
        self._wrong = RateLimiter(settings.wrong_codes_per_minute)

    def ballot_in(self, headers: Headers) -> str | None:
        """The ballot that a browser has, by the first of its cookies that holds."""
        return next(filter(None, map(self.signer.owner, cookie_values(headers, COOKIE))), None)

    def new(self, request: Request) -> tuple[str, str]:
        """A new ballot for a request's address: its name, and the cookie as a header has it.

        Raises:
            TooOften: its address had too many.
        """
        self._take(self._ballots, request.scope, "errors.too_many_ballots")
        signed = self.signer.new()
        secure = "; Secure" if is_encrypted(request.scope, self._trusted) else ""
        life = f"Path=/; Max-Age={MAX_AGE}; HttpOnly; SameSite=Lax{secure}"
        return signed.partition(".")[0], f"{COOKIE}={signed}; {life}"

    def count_room(self, scope: Scope) -> None:
        """Count a new room of an address.

        Raises:
            TooOften: it had too many.
        """
        self._take(self._rooms, scope, "errors.too_many_new_rooms")

    def may_try(self, scope: Scope) -> bool:
        """Whether an address has wrong codes left."""
        return self._wrong.may(self._address(scope))

    def check_tries(self, scope: Scope) -> None:
        """Make sure that an address has wrong codes left: else no code of its is looked at.

        Raises:
            TooOften: it had too many.
        """
        if not self.may_try(scope):
            self._refuse(self._wrong, self._address(scope), "errors.too_many_wrong_codes")

    def count_wrong(self, scope: Scope) -> None:
        """Count a wrong code of an address."""
        self._wrong.take(self._address(scope))

    def _take(self, allowance: RateLimiter, scope: Scope, why: str) -> None:
        address = self._address(scope)
        if not allowance.take(address):
            self._refuse(allowance, address, why)

    def _refuse(self, allowance: RateLimiter, address: str, why: str) -> None:
        seconds = allowance.wait(address) or 1
        raise TooOften(seconds, phrase(why, seconds=seconds))

    def _address(self, scope: Scope) -> str:
        peer = scope["client"][0] if scope.get("client") else None
        return source(peer, Headers(scope=scope).getlist("x-forwarded-for"), self._trusted)
