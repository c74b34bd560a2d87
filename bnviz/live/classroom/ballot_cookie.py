"""The ballot: a signed name in a phone's cookie, which votes and has nothing to do with owners.

A link that was scanned comes from another application. For browsers that is another site, to whose
links they send no SameSite=Strict cookie: every phone that comes back would be a new one. So the
cookie `bnviz_ballot` is SameSite=Lax. A vote is a POST, which other sites' pages send without it.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Scope

from bnviz.live.addresses import networks
from bnviz.live.errors import TooOften
from bnviz.live.rate_limit import RateLimiter
from bnviz.live.settings import Settings
from bnviz.live.web.cookies import Signer, set_cookie, signed_name
from bnviz.live.web.request_source import client_address
from bnviz.words.phrase import phrase

COOKIE = "bnviz_ballot"
PURPOSE = b"bnviz ballot 1:"
# A class that meets every week votes with the same ballots for a term.
MAX_AGE = 120 * 24 * 3600


class BallotIssuer:
    """Gives out ballots, and counts for each address its ballots, new rooms and wrong codes.

    Attributes:
        signer: signs the ballots that it gives out, and verifies them.
    """

    def __init__(self, settings: Settings) -> None:
        self.signer = Signer(settings.secret, PURPOSE)
        self._trusted = networks(settings.trusted_proxies)
        self._ballots = RateLimiter(settings.cookies_per_minute)
        self._rooms = RateLimiter(settings.rooms_per_minute)
        self._wrong_codes = RateLimiter(settings.wrong_codes_per_minute)

    def address(self, scope: Scope) -> str:
        """The address that a request is counted for."""
        return client_address(scope, self._trusted)

    def ballot_in(self, headers: Headers) -> str | None:
        """The ballot of a request's browser; None: it has none that is valid."""
        return signed_name(headers, COOKIE, self.signer)

    def new(self, request: Request) -> tuple[str, str]:
        """A new ballot for a request's browser, and the `Set-Cookie` header with it.

        Raises:
            TooOften: its address had too many.
        """
        self._take(self._ballots, request.scope, "errors.too_many_ballots")
        signed = self.signer.new()
        cookie = set_cookie(
            COOKIE, signed, request.scope, self._trusted, seconds=MAX_AGE, same_site="Lax"
        )
        return signed.partition(".")[0], cookie

    def count_room(self, scope: Scope) -> None:
        """Count a new room of an address.

        Raises:
            TooOften: it had too many.
        """
        self._take(self._rooms, scope, "errors.too_many_new_rooms")

    def may_try(self, scope: Scope) -> bool:
        """Whether an address may still try a code: it had not too many wrong ones."""
        return self._wrong_codes.may_take(self.address(scope))

    def check_tries(self, scope: Scope) -> None:
        """Make sure that an address may still try a code.

        Raises:
            TooOften: it had too many wrong ones.
        """
        if not self.may_try(scope):
            self._refuse(self._wrong_codes, scope, "errors.too_many_wrong_codes")

    def count_wrong(self, scope: Scope) -> None:
        """Count a wrong code of an address."""
        self._wrong_codes.take(self.address(scope))

    def _take(self, limiter: RateLimiter, scope: Scope, key: str) -> None:
        if not limiter.take(self.address(scope)):
            self._refuse(limiter, scope, key)

    def _refuse(self, limiter: RateLimiter, scope: Scope, key: str) -> None:
        seconds = limiter.wait(self.address(scope)) or 1
        raise TooOften(seconds, phrase(key, seconds=seconds))
