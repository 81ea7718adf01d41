"""One picture that foreign Markdown names, fetched as nobody: no token, no cookie, no page it stands on (lanes-G24)."""

import asyncio
from dataclasses import replace
from urllib.parse import urljoin

import httpx2

from desktop.domain.display.links import split_address
from desktop.services.github.exchange import USER_AGENT, Answer, Ask, exchange, make_client
from desktop.services.github.hosts import LOOPBACK
from desktop.services.github.pace import USUAL_LIMITS, ExchangeLimits
from desktop.services.github.problems import failure
from desktop.services.pictures.header import read_header

MAX_BYTES = 20 * 1024 * 1024
MAX_REDIRECTS = 5
KINDS = "PNG, JPEG, WebP and GIF"
_REDIRECTS = (301, 302, 303, 307, 308)
_NEEDS_SIGN_IN = (401, 403, 404)


async def fetch_picture(
    address: str, *, plain_on_loopback: bool = False, limits: ExchangeLimits = USUAL_LIMITS
) -> bytes:
    """The bytes of a PNG, JPEG, WebP or GIF picture, at most 20 MiB, not decoded. Asked over https alone, but on this
    machine itself with `plain_on_loopback`.

    Raises:
        GitHubError: it could not be fetched or is no such picture; its text is a sentence for people.
    """
    client = await asyncio.to_thread(make_client)
    try:
        return await _fetched(client, address, plain_on_loopback, replace(limits, max_bytes=MAX_BYTES))
    finally:
        await client.aclose()


async def _fetched(client: httpx2.AsyncClient, address: str, plain_on_loopback: bool, limits: ExchangeLimits) -> bytes:
    headers = {"Accept": "image/png, image/jpeg, image/webp, image/gif", "User-Agent": USER_AGENT}
    for _ in range(MAX_REDIRECTS + 1):
        host = _require_safe(address, plain_on_loopback)
        answer = await exchange(client, Ask("GET", address, headers), limits)
        client.cookies.clear()
        if answer.status not in _REDIRECTS:
            return _picture(answer, host)
        address = urljoin(address, answer.headers.get("location", ""))
    raise failure("bad_answer", f"{host} sends this request in a circle.")


def _picture(answer: Answer, host: str) -> bytes:
    if answer.status in _NEEDS_SIGN_IN:
        text = f"{host} shows no picture there to somebody who is not signed in (status {answer.status})."
        raise failure("not_found", text, status=answer.status)
    if answer.status != 200:
        raise failure("bad_answer", f"{host} answered with status {answer.status}.", status=answer.status)
    if read_header(answer.body) is None:
        kind = answer.headers.get("content-type", "").partition(";")[0].strip()
        told = f", but {kind[:60]}" if kind and kind.isascii() and kind.isprintable() else ""
        raise failure("bad_answer", f"{host} sent no picture that is shown here{told}. Shown are {KINDS}.")
    return answer.body


def _require_safe(address: str, plain_on_loopback: bool) -> str:
    """Who would be asked, in words."""
    parts = split_address(address)
    if parts is None or not parts.hostname:
        raise failure("bad_answer", "This is no address of a picture.")
    if parts.username is not None or parts.password is not None:
        raise failure("bad_answer", "This address names a user; nobody is asked for pictures under a name.")
    at_home = plain_on_loopback and parts.hostname in LOOPBACK
    if parts.scheme != "https" and not (parts.scheme == "http" and at_home):
        text = f"{parts.netloc} would be asked without https. Pictures are fetched over https alone."
        raise failure("bad_answer", text)
    return parts.netloc
