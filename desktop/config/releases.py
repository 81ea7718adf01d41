"""ReleaseSource: where a build of the program asks for newer versions, and whose signature it believes."""

import base64
import os
from pathlib import Path

from pydantic import ValidationError, field_validator

from desktop.config.folders import resource_folder
from desktop.config.settings import address_problem
from desktop.domain.core.base import Frozen

FILE = "releases.json"
NO_CHECK = "BANKSMAN_NO_UPDATE_CHECK"
KEY_BYTES = 32


class ReleaseSource(Frozen):
    """`address` is asked and `page` opened; `key`: the public Ed25519 key in base64."""

    address: str
    page: str
    key: str

    @field_validator("address", "page")
    @classmethod
    def _safe(cls, value: str) -> str:
        if problem := address_problem(value):
            raise ValueError(problem)
        return value

    @field_validator("key")
    @classmethod
    def _whole_key(cls, value: str) -> str:
        if len(base64.b64decode(value, validate=True)) != KEY_BYTES:
            raise ValueError("a public Ed25519 key has 32 bytes")
        return value


def release_source(folder: Path | None = None) -> ReleaseSource | None:
    """What the build put among the resources, which the source tree has not. None: nobody is asked for newer versions,
    also where the person's environment says so. `folder`: of the resources, None: the program's own."""
    if os.environ.get(NO_CHECK, "0") not in ("", "0"):
        return None
    try:
        return ReleaseSource.model_validate_json(((folder or resource_folder()) / FILE).read_bytes())
    except (OSError, ValidationError):
        return None


def release_state(folder: Path | None = None, *, switched_on: bool) -> str:
    """Whether newer versions are looked for here. `folder`: as above; `switched_on`: in the settings."""
    source = release_source(folder)
    if source is not None:
        place = f"at {source.address}"
        return f"looked for once a day {place}" if switched_on else f"not looked for; Settings › About can, {place}"
    if os.environ.get(NO_CHECK, "0") not in ("", "0"):
        return f"not looked for, as {NO_CHECK} says"
    return "not looked for: this build names no address for them"
