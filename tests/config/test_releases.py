"""Where newer versions are asked for: nowhere by the source tree, by a build where its file says; people can forbid."""

import json
from pathlib import Path

import pytest

from desktop.config.releases import FILE, NO_CHECK, release_source, release_state

GOOD = {"address": "https://releases.example.org/list.json", "page": "https://example.org", "key": "A" * 43 + "="}


def write(folder: Path, **fields: str) -> Path:
    (folder / FILE).write_text(json.dumps(GOOD | fields))
    return folder


def test_the_source_tree_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NO_CHECK, raising=False)
    assert release_source() is None
    assert release_state(switched_on=True) == "not looked for: this build names no address for them"
    monkeypatch.setenv(NO_CHECK, "1")
    assert release_state(switched_on=True) == "not looked for, as BANKSMAN_NO_UPDATE_CHECK says"


def test_a_build_asks_where_its_file_says_unless_a_person_forbids_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(NO_CHECK, raising=False)
    found = release_source(write(tmp_path))
    assert found is not None
    assert found.model_dump() == GOOD
    for value, there in (("1", False), ("yes", False), ("0", True), ("", True)):
        monkeypatch.setenv(NO_CHECK, value)
        assert (release_source(tmp_path) is not None) is there


@pytest.mark.parametrize(
    "fields",
    [
        {"address": "http://releases.example.org/a"}, {"address": ""}, {"page": "file:///etc/passwd"}, {"key": ""},
        {"key": "AAAA"}, {"key": "not base64"}, {"more": "x"}, {"address": "https://me:word@example.org/a"},
    ],
)  # fmt: skip
def test_a_file_that_is_not_as_it_should_be_asks_nobody(tmp_path: Path, fields: dict[str, str]) -> None:
    assert release_source(write(tmp_path, **fields)) is None


def test_the_state_names_who_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NO_CHECK, raising=False)
    write(tmp_path)
    place = GOOD["address"]
    assert release_state(tmp_path, switched_on=True) == f"looked for once a day at {place}"
    assert release_state(tmp_path, switched_on=False) == f"not looked for; Settings › About can, at {place}"
