"""Manifest: the list of versions that its makers sign, read only once the signature fits.

`packaging/sign_releases.py` writes it: an object with `signed`, the manifest as the text that was signed, and
`signature`, in base64, over `PREFIX` and that text.
"""

import base64
import binascii
import json
from datetime import UTC, datetime
from typing import Annotated, Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from desktop.domain.core.errors import BanksmanError
from desktop.domain.releases.values import MOST_NOTES, VERSION, Release

PREFIX = b"banksman-releases-v1\n"
_LAST_SECOND = 253_402_300_799
_NOT_SIGNED = "The list of versions is not signed as it should be. Nothing was done."
_NOT_READ = "The list of versions is signed, but in a form that this version does not read. Nothing was done."


class ReleaseError(BanksmanError):
    """What was answered is not believed, or tells nothing."""


class ReleaseFile(BaseModel):
    """One file of a version."""

    model_config = ConfigDict(frozen=True)

    bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class Manifest(BaseModel):
    """The newest version. `time`: of its commit, in seconds since 1970; `next_key`: the public key that will follow the
    one which signed this, in base64, "" for none. What it does not know is left alone."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1]
    name: Literal["banksman"]
    version: str = Field(pattern=VERSION)
    time: int = Field(ge=0, le=_LAST_SECOND)
    notes: str = Field(default="", max_length=MOST_NOTES)
    files: dict[str, ReleaseFile]
    next_key: Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9+/]{43}=)?$")] = ""

    @property
    def release(self) -> Release:
        """What is told of it."""
        return Release(version=self.version, at=datetime.fromtimestamp(self.time, UTC), notes=self.notes)


def signed_manifest(content: bytes, keys: tuple[str, ...]) -> tuple[Manifest, str]:
    """The manifest and the one of these public keys whose signature it bears.

    Raises:
        ReleaseError: it is signed by none of them, or is none that can be read.
    """
    text, signature = _parts(content)
    signer = next((key for key in keys if _fits(key, signature, text)), None)
    if signer is None:
        raise ReleaseError(_NOT_SIGNED)
    try:
        return Manifest.model_validate_json(text), signer
    except ValidationError as error:
        raise ReleaseError(_NOT_READ) from error


def _parts(content: bytes) -> tuple[bytes, bytes]:
    try:
        read = json.loads(content)
        text, signature = read["signed"], read["signature"]
        return text.encode(), base64.b64decode(signature, validate=True)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:  # of whatever stands there
        raise ReleaseError(_NOT_SIGNED) from error


def _fits(key: str, signature: bytes, text: bytes) -> bool:
    try:
        public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key, validate=True))
        public.verify(signature, PREFIX + text)
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return True
