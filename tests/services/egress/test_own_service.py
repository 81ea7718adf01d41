"""A client's own service, asked over TLS through the proxy."""

import asyncio
import contextlib
import re
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from desktop.policy.network.hosts import Host, Refused
from desktop.services.egress.egress import Egress
from desktop.services.egress.requests import Wanted

pytestmark = pytest.mark.asyncio
BODY = b"x" * 300_000


class Own:
    """A service on this computer that is asked with a key."""

    def __init__(self, port: int, trust: ssl.SSLContext) -> None:
        self._port, self._trust = port, trust

    def wanted(self, method: str, target: str, fields: list[bytes]) -> Wanted | Refused:
        first = f"{method} {target} HTTP/1.1\r\nkey: real\r\n\r\n".encode()
        return Wanted(Host("localhost", "localhost"), self._port, first, chosen=True, tls=self._trust, body=len(BODY))


@asynccontextmanager
async def service(folder: Path) -> AsyncIterator[tuple[int, Path, list[bytes]]]:
    """A service with a certificate of its own: its port, the certificate, what it heard."""
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    made = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names)
    files = ("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"))
    subprocess.run([*made, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    heard: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            heard.append(await reader.readuntil(b"\r\n\r\n") + await reader.readexactly(len(BODY)))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY)
            await writer.drain()
            heard.append(await reader.read())
        writer.close()
        ended.set()

    server, ended = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context), asyncio.Event()
    yield server.sockets[0].getsockname()[1], folder / "cert.pem", heard
    server.close()
    if heard:
        await ended.wait()


async def asked(place: Path, body: bytes) -> bytes:
    """What comes back for a request with this body, to the end."""
    reader, writer = await asyncio.open_unix_connection(str(place))
    writer.write(b"POST /v1/messages HTTP/1.1\r\nHost: x\r\n\r\n" + body)
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        found = re.search(rb"Content-Length: (\d+)", head)
        return head + await reader.readexactly(int(found[1]) if found else 0)
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        return error.partial if isinstance(error, asyncio.IncompleteReadError) else b""
    finally:
        writer.close()


@pytest.mark.promise("guests-A36")
async def test_a_service_is_asked_over_tls_and_nothing_rides_behind_the_body(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with service(tmp_path) as (port, cert, heard):
        egress = Egress()
        trust = ssl.create_default_context(cafile=str(cert))
        with egress.client("guest", "peer", (), owner="ses_1", own=Own(port, trust)) as way:
            assert (await asked(way.socket, BODY)).endswith(b"\r\n\r\n" + BODY)
            assert heard[0] == b"POST /v1/messages HTTP/1.1\r\nkey: real\r\n\r\n" + BODY
            await asked(way.socket, BODY + b"DELETE /v1/files HTTP/1.1\r\n\r\n")
            assert not any(b"DELETE" in one for one in heard)
        await egress.close()
    assert caplog.messages == []


async def test_a_service_whose_certificate_nobody_trusts_is_not_asked(tmp_path: Path) -> None:
    async with service(tmp_path) as (port, _, heard):
        egress = Egress()
        with egress.client("guest", "peer", (), own=Own(port, ssl.create_default_context())) as way:
            assert (await asked(way.socket, b"")).startswith(b"HTTP/1.1 502")
        await egress.close()
    assert heard == []
