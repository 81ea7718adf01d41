"""One look for a newer version: a request to the one address of the build, and what its answer changes."""

from collections.abc import Callable

from desktop.config.releases import ReleaseSource
from desktop.policy.network.hosts import Refused
from desktop.policy.network.urls import WebAddress, check_url
from desktop.services.egress.connecting import Resolver
from desktop.services.egress.upstream import AskUpstream
from desktop.services.releases.manifest import ReleaseError, signed_manifest
from desktop.services.releases.seen import Seen
from desktop.services.web.client import Sent, WebAnswer, WebAsk, WebClient, WebLimits

LIMITS = WebLimits(total_s=20.0, wire_bytes=256 * 1024, decoded_bytes=512 * 1024)
MOST_ETAG = 120
_HERE = frozenset({"127.0.0.1", "::1", "localhost"})
_NOT_MODIFIED = 304
_OLDER = "The list of versions is older than one that was seen before. Nothing was done."


class ReleaseLook:
    """On one event loop. `installed`: the version that runs."""

    def __init__(self, source: ReleaseSource, installed: str, resolve: Resolver, upstream: AskUpstream) -> None:
        self._source, self._installed = source, installed
        self._client = WebClient(resolve=resolve, upstream=upstream)

    async def look(self, seen: Seen, told: Callable[[Sent], None]) -> Seen:
        """What is known after one request, which tells nothing of who asks. `told` gets the request, also a failed one.

        Raises:
            ReleaseError: the answer is not believed, or is none.
            WebError: there was none.
        """
        seen = seen.for_build(self._source.key)
        private = frozenset({host for host in _HERE if f"//{host}" in self._source.address})
        address = check_url(self._source.address, private=private)
        if isinstance(address, Refused):
            raise ReleaseError(f"The address of this build cannot be asked: {address.reason}")
        headers = {"If-None-Match": seen.etag} if seen.etag else {}
        asked = WebAsk(address, headers=headers, private=private, follows=False, limits=LIMITS)
        answer = await self._client.ask(asked, told)
        if answer.status == _NOT_MODIFIED and seen.etag:
            return seen
        return self._judged(answer, address, seen)

    def _judged(self, answer: WebAnswer, address: WebAddress, seen: Seen) -> Seen:
        if answer.moved_to:
            raise ReleaseError(f"{address.host.shown} leads to another address, which is not asked. Nothing was done.")
        if answer.status != 200:
            raise ReleaseError(f"{address.host.shown} answered with {answer.status}. Nothing was done.")
        manifest, signer = signed_manifest(answer.body, seen.keys)
        release = manifest.release
        if seen.newest is not None and release.at < seen.newest.at:
            raise ReleaseError(_OLDER)
        if release.is_below(self._installed):
            return seen
        later = manifest.next_key if manifest.next_key != signer else ""
        key = "" if signer == seen.built_in else signer
        return seen.model_copy(update={"newest": release, "etag": _plain(answer.etag), "key": key, "next_key": later})


def _plain(etag: str) -> str:
    """What may be sent back. One that is long could name a person."""
    return etag if len(etag) <= MOST_ETAG and etag.isascii() and etag.isprintable() else ""
