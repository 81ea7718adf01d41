"""The list of versions: what is believed of it, and by whose signature."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from desktop.services.releases import manifest as own
from desktop.services.releases.manifest import ReleaseError, signed_manifest
from tests.release_list import AT, forged, listed, new_key, public

KEY = new_key()
SIGNED = listed(KEY)


def test_a_signed_list_is_read_and_its_signer_named() -> None:
    other = new_key()
    found, signer = signed_manifest(listed(KEY, "9.2.0", notes="Quicker."), (public(other), public(KEY)))
    assert signer == public(KEY)
    assert (found.release.version, found.release.notes) == ("9.2.0", "Quicker.")
    assert found.release.at == datetime.fromtimestamp(AT, UTC)


def test_the_program_and_the_command_sign_the_same_words() -> None:
    import sign_releases  # noqa: PLC0415  # stands in packaging/

    assert sign_releases.PREFIX == own.PREFIX


@pytest.mark.parametrize(
    "content",
    [
        forged(SIGNED),
        SIGNED[: len(SIGNED) // 2],
        SIGNED[:-3],
        SIGNED.replace(b"9.1.0", b"9.9.0"),
        listed(new_key()),
        b"",
        b"[]",
        b"null",
        b'{"signed": 1, "signature": ""}',
        b'{"signed": "x", "signature": "not base64"}',
        b'{"signed": "\\ud800", "signature": ""}',
        b"\xff\xfe",
        b"[" * 100_000,
        json.dumps({"signed": json.loads(SIGNED)["signed"]}).encode(),
    ],
    ids=lambda content: f"{len(content)} bytes",
)
def test_what_is_not_signed_as_it_should_be_is_not_read(content: bytes) -> None:
    with pytest.raises(ReleaseError, match="not signed as it should be"):
        signed_manifest(content, (public(KEY),))


@pytest.mark.parametrize(
    "fields",
    [
        {"format": 2}, {"name": "another"}, {"version": "9"}, {"time": -1}, {"time": 10**15}, {"notes": "x" * 4_001},
        {"files": {"a.deb": {"bytes": 1, "sha256": "A" * 64}}}, {"files": {"a.deb": {"bytes": -1, "sha256": "a" * 64}}},
        {"next_key": "short"}, {"files": None},
    ],
)  # fmt: skip
def test_a_signed_list_of_another_form_tells_nothing(fields: dict[str, Any]) -> None:
    with pytest.raises(ReleaseError, match="a form that this version does not read"):
        signed_manifest(listed(KEY, **fields), (public(KEY),))


def test_what_a_later_form_adds_is_left_alone() -> None:
    found, _ = signed_manifest(listed(KEY, channel="stable"), (public(KEY),))
    assert found.version == "9.1.0"


def test_a_key_that_is_none_signs_nothing() -> None:
    for key in ("", "AAAA", "not base64"):
        with pytest.raises(ReleaseError):
            signed_manifest(SIGNED, (key,))
