"""Versions: which of two is the higher, and what is none."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from desktop.domain.releases.updates import ReleasesStand
from desktop.domain.releases.values import Release

AT = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("one", "other", "above", "below"),
    [
        ("1.2", "1.1.9", True, False), ("1.10.0", "1.9.0", True, False), ("1.2", "1.2.0", False, False),
        ("1.2.0", "1.2.0.1", False, True), ("0.1.0", "", True, False), ("0.1.0", "main", True, False),
    ],
)  # fmt: skip
def test_versions_are_compared_number_by_number(one: str, other: str, above: bool, below: bool) -> None:
    release = Release(version=one, at=AT)
    assert (release.is_above(other), release.is_below(other)) == (above, below)


@pytest.mark.parametrize("version", ["1", "", "1.2.3.4.5", "v1.2", "1.2b1", "1.-2", "1.2\n", "1.١"])
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(ValidationError):
        Release(version=version, at=AT)


def test_a_window_that_opens_later_is_told_what_stands_and_not_who_asked() -> None:
    told = ReleasesStand(command_id="cmd_1", host="releases.example.org", page="https://releases.example.org")
    ((key, later),) = told.standing()
    assert (key, later) == ("", told.model_copy(update={"command_id": ""}))
