import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop.domain.credentials.values import Credential
from desktop.services.credentials.book import ASIDE, MOST_ENDED, CredentialBook

NOW = datetime(2026, 11, 24, 10, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def record(number: int = 1, **more: object) -> Credential:
    return Credential.model_validate({"id": f"sec_{number:012x}", "provider": "Shop", "made_at": NOW, **more})


def test_records_are_found_again_by_the_next_process_and_stand_for_their_owner_alone(tmp_path: Path) -> None:
    file, clock = tmp_path / "data" / "credentials.json", Clock()
    book = CredentialBook(file, clock)
    assert book.live() == ()
    book.put(record(1, place="keyring"))
    book.put(record(2, place="keyring", uses=3))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [one.uses for one in CredentialBook(file, clock).live()] == [3, 0]


@pytest.mark.promise("memory-CR7")
def test_what_lasts_until_the_program_ends_has_ended_for_the_next_process(tmp_path: Path) -> None:
    file, clock = tmp_path / "credentials.json", Clock()
    book = CredentialBook(file, clock)
    book.put(record(1))
    assert [one.id for one in book.live()] == [record(1).id]
    later = CredentialBook(file, clock)
    assert later.live() == ()
    found = later.get(record(1).id)
    assert found is not None
    assert found.ended == "closed"


@pytest.mark.promise("memory-CR7")
def test_an_expired_secret_is_not_live_and_is_listed_to_be_ended_once(tmp_path: Path) -> None:
    clock = Clock()
    book = CredentialBook(tmp_path / "credentials.json", clock)
    book.put(record(1, place="keyring", expires_at=NOW + timedelta(hours=1)))
    assert book.expired() == ()
    clock.now += timedelta(hours=1)
    assert book.live() == ()
    assert [one.id for one in book.expired()] == [record(1).id]
    book.end(book.expired()[0], "expired")
    assert book.expired() == ()
    found = book.get(record(1).id)
    assert found is not None
    assert found.ended == "expired"


def test_only_so_many_records_of_what_is_gone_are_kept(tmp_path: Path) -> None:
    book = CredentialBook(tmp_path / "credentials.json", Clock())
    for number in range(MOST_ENDED + 3):
        book.end(record(number), "removed")
    book.put(record(9999))
    assert book.get(record(2).id) is None
    assert book.get(record(3).id) is not None
    assert len(book.live()) == 1


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"secrets": [{"id": 1}]}', '{"secrets": 3}'])
def test_a_damaged_file_has_no_records(tmp_path: Path, text: str) -> None:
    file = tmp_path / "credentials.json"
    file.write_text(text)
    book = CredentialBook(file, Clock())
    assert book.live() == ()
    book.put(record(1))
    assert file.with_suffix(ASIDE).read_text() == text, "it names secrets that are in the keyring"
