"""One request and its answer over HTTPS: limits of time and size, no redirect, and errors of one family (lanes-G19)."""

import asyncio
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx2

from desktop import __version__
from desktop.domain.github.values import GitHubError
from desktop.records import dataclass
from desktop.services.github.pace import USUAL_LIMITS, ExchangeLimits
from desktop.services.github.problems import failure

USER_AGENT = f"Banksman/{__version__}"
_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)


@dataclass(frozen=True)
class Ask:
    """A request. `headers` hold the token, if it has one."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None

    @property
    def host(self) -> str:
        """The host of the address, with its port where it names one."""
        return urlsplit(self.url).netloc


@dataclass(frozen=True)
class Answer:
    """`headers` by names in small letters. `cut`: the body was longer. `url`: what was asked in the end."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    cut: bool = False


def make_client() -> httpx2.AsyncClient:
    """A client that checks certificates and keeps few connections. Takes 50 ms: make it on a worker thread."""
    return httpx2.AsyncClient(
        verify=httpx2.create_ssl_context(),
        follow_redirects=False,
        limits=httpx2.Limits(max_connections=6, max_keepalive_connections=3, keepalive_expiry=30.0),
    )


async def exchange(client: httpx2.AsyncClient, ask: Ask, limits: ExchangeLimits = USUAL_LIMITS) -> Answer:
    """Whatever is answered, redirects and refusals too.

    Raises:
        GitHubError: offline, bad_answer or too_large; `answer_lost` tells whether the request may have arrived.
    """
    timeout = httpx2.Timeout(limits.total_s, connect=limits.connect_s)
    try:
        async with asyncio.timeout(limits.total_s):
            return await _exchange(client, ask, limits, timeout)
    except (TimeoutError, httpx2.TimeoutException) as error:
        sent = not isinstance(error, _NOT_SENT)
        limit = limits.total_s if sent else limits.connect_s
        raise failure("offline", f"{ask.host} did not answer within {limit:g} s.", answer_lost=sent) from error
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise failure("bad_answer", "GitHub named an address that cannot be asked.") from error
    except httpx2.TransportError as error:
        raise _unreached(ask, error) from error


async def _exchange(client: httpx2.AsyncClient, ask: Ask, limits: ExchangeLimits, timeout: httpx2.Timeout) -> Answer:
    request = client.build_request(ask.method, ask.url, headers=dict(ask.headers), content=ask.body, timeout=timeout)
    response = await client.send(request, stream=True)
    try:
        body, cut = bytearray(), False
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > limits.max_bytes:
                cut = True
                break
    except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.DecodingError) as error:
        text = f"The answer of {ask.host} broke off or is damaged. Try again."
        raise failure("bad_answer", text, answer_lost=True) from error
    finally:
        await response.aclose()
    if cut and not limits.cut:
        size = limits.max_bytes // (1024 * 1024)
        raise failure("too_large", f"The answer of {ask.host} is larger than {size} MiB.", answer_lost=True)
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status_code, headers, bytes(body[: limits.max_bytes]), ask.url, cut)


def _unreached(ask: Ask, error: httpx2.TransportError) -> GitHubError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            text = f"The certificate of {ask.host} is not trusted: {cause.verify_message}. Nothing was sent."
            return failure("bad_answer", text)
        cause = cause.__cause__ or cause.__context__
    sent = not isinstance(error, _NOT_SENT)
    text = f"{ask.host} broke the connection off." if sent else f"{ask.host} could not be reached."
    return failure("offline", f"{text} Check the network and try again.", answer_lost=sent)
