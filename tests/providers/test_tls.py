import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from desktop.config.settings import Endpoint
from desktop.providers.base import ProviderError
from desktop.providers.streamed import StreamedProvider
from tests.providers.asking import made, request

pytestmark = pytest.mark.asyncio


def self_signed(folder: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = folder / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context


async def models(provider: StreamedProvider) -> None:
    await provider.models()


async def answer(provider: StreamedProvider) -> None:
    [delta async for delta in provider.stream(request())]


Ask = Callable[[StreamedProvider], Awaitable[None]]
EITHER = pytest.mark.parametrize("ask", [models, answer])
BOTH = pytest.mark.parametrize("kind", ["compatible", "openai_compatible"])


async def failure_at(kind: str, address: str, ask: Ask) -> ProviderError:
    provider = made(Endpoint(id="x", label="X", kind=kind, base_url=address, auth="none"))
    try:
        with pytest.raises(ProviderError) as caught:
            await ask(provider)
    finally:
        await provider.close()
    return caught.value


@pytest_asyncio.fixture
async def port(tmp_path: Path) -> AsyncIterator[int]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=self_signed(tmp_path))
    async with server:
        yield server.sockets[0].getsockname()[1]


@BOTH
@EITHER
async def test_a_certificate_nobody_signed_is_told_and_not_tried_again(port: int, ask: Ask, kind: str) -> None:
    failure = (await failure_at(kind, f"https://localhost:{port}", ask)).failure
    assert (failure.category, failure.retryable) == ("tls", False)
    assert "certificate" in failure.message.lower()


@BOTH
@EITHER
async def test_a_name_that_does_not_resolve_is_a_network_failure(
    monkeypatch: pytest.MonkeyPatch, ask: Ask, kind: str
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    failure = (await failure_at(kind, "https://nowhere.invalid", ask)).failure
    assert (failure.category, failure.retryable) == ("network", True)
