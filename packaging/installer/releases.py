"""Where a build asks for newer versions: three values that it is given, put among the program's resources."""

import base64
import binascii
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from installer.ground import Problem

PLACE = Path("_internal", "resources", "releases.json")
KEY_BYTES = 32


@dataclass(frozen=True)
class Releases:
    """`address` of the signed list of versions, `page` that people get one from, `key`: public Ed25519, in base64."""

    address: str
    page: str
    key: str


def releases(address: str, page: str, key: str) -> Releases | None:
    """What a build is given; None: nothing, so that the program looks for no newer versions and offers none.

    Raises:
        Problem: something of it is missing, or is not what it must be.
    """
    if not (address or page or key):
        return None
    if not all(one.startswith("https://") and len(one.split("/")[2]) > 0 for one in (address, page)):
        raise Problem("--releases-address and --releases-page begin with https:// and a host; give both, or nothing.")
    try:
        whole = len(base64.b64decode(key, validate=True)) == KEY_BYTES
    except binascii.Error:
        whole = False
    if not whole:
        raise Problem("--releases-key is a public Ed25519 key, 32 bytes in base64: sign_releases.py --public tells it.")
    return Releases(address, page, key)


def put_releases(given: Releases | None, stage: Path) -> None:
    """Put it into the stage."""
    if given is not None:
        file = stage / PLACE
        file.write_text(json.dumps(asdict(given), indent=1, sort_keys=True) + "\n", "utf-8")
        os.chmod(file, 0o644)  # noqa: PTH101  # the same in every build
