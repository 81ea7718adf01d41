"""Lists of versions as they are published: signed by the real command, or broken on purpose."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import sign_releases
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.fakes.web_host import Told

AT = 1_790_000_000
"""21 September 2026."""


def new_key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.generate()


def public(key: Ed25519PrivateKey) -> str:
    return sign_releases.public_text(key)


def pem(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def manifest(version: str = "9.1.0", time: int = AT, **fields: Any) -> dict[str, Any]:
    """A manifest as a build writes it."""
    content = b"the package"
    files = {f"banksman_{version}_amd64.deb": {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}}
    told = {"format": 1, "name": "banksman", "version": version, "time": time, "notes": "", "files": files}
    return {**told, "next_key": "", **fields}


def listed(key: Ed25519PrivateKey, version: str = "9.1.0", time: int = AT, **fields: Any) -> bytes:
    """The signed list."""
    return sign_releases.signed(json.dumps(manifest(version, time, **fields)), key).encode()


def answered(content: bytes, etag: str = "", status: int = 200) -> Told:
    headers = {"Content-Type": "application/json"} | ({"ETag": etag} if etag else {})
    return Told(content, headers, status)


def write_manifest(file: Path, **fields: Any) -> Path:
    """A build's own manifest in a file, with all that the list leaves out."""
    file.write_text(json.dumps(manifest(**fields) | {"commit": "c" * 40, "system": "linux"}))
    return file


def forged(content: bytes) -> bytes:
    """The same list with a signature in which one bit differs."""
    read = json.loads(content)
    signature = bytearray(base64.b64decode(read["signature"]))
    signature[5] ^= 1
    return json.dumps(read | {"signature": base64.b64encode(signature).decode()}).encode()
