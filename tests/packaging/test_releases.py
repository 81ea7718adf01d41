"""The list of versions from a build to the program: what a build is given, what it describes, who signs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import sign_releases
from installer import describe as describing
from installer.describe import describe, notes, sha256_hex
from installer.ground import PACKAGING, Problem
from installer.releases import PLACE, Releases, put_releases, releases
from installer.signing import Signer

from desktop.config.releases import FILE, NO_CHECK, release_source
from desktop.services.releases.manifest import signed_manifest
from tests.release_list import new_key, pem, public, write_manifest

KEY = new_key()
ADDRESS, PAGE = "https://releases.example.org/list.json", "https://example.org/banksman"


def test_a_build_that_is_given_nothing_names_nobody(tmp_path: Path) -> None:
    assert releases("", "", "") is None
    put_releases(None, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "given",
    [
        (ADDRESS, PAGE, ""), (ADDRESS, "", public(KEY)), ("", PAGE, public(KEY)), (ADDRESS, PAGE, "AAAA"),
        ("http://releases.example.org", PAGE, public(KEY)), (ADDRESS, "https://", public(KEY)), ("", "", public(KEY)),
    ],
)  # fmt: skip
def test_a_build_that_is_given_a_part_or_nonsense_is_refused(given: tuple[str, str, str]) -> None:
    with pytest.raises(Problem, match="--releases-"):
        releases(*given)


def test_the_program_reads_what_the_build_put_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NO_CHECK, raising=False)
    (tmp_path / PLACE).parent.mkdir(parents=True)
    put_releases(releases(ADDRESS, PAGE, public(KEY)), tmp_path)
    found = release_source((tmp_path / PLACE).parent)
    assert found is not None
    assert (PLACE.name, Releases(**found.model_dump())) == (FILE, Releases(ADDRESS, PAGE, public(KEY)))


def test_what_a_build_describes_is_signed_and_believed_by_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stage, dist, key = tmp_path / "stage", tmp_path / "dist", tmp_path / "key.pem"
    (stage / describing.PLACE).mkdir(parents=True)
    for name in (describing.BILL, describing.NOTICES):
        (stage / describing.PLACE / name).write_text("x")
    dist.mkdir()
    package = dist / "banksman_1.0.0_amd64.deb"
    package.write_bytes(b"the package")
    monkeypatch.setattr(describing, "version", lambda: "1.0.0")
    describe([package], stage, [], Signer(), dist)
    other = tmp_path / "other.json"
    told = json.loads((dist / "manifest.json").read_text())
    assert (told["signed"], told["signed_by"]) == (False, "")
    other.write_text(json.dumps(told | {"system": "macos", "files": {"a.dmg": {"bytes": 1, "sha256": "a" * 64}}}))
    key.write_bytes(pem(KEY))
    later = public(new_key())
    words = [str(dist / "manifest.json"), str(other), "--out", str(tmp_path / "list.json"), "--next-key", later]
    assert sign_releases.main([*words, "--key", str(key)]) == 0
    assert public(KEY) in capsys.readouterr().out
    found, signer = signed_manifest((tmp_path / "list.json").read_bytes(), (public(KEY),))
    assert (signer, found.version, found.time, found.next_key) == (public(KEY), "1.0.0", told["time"], later)
    assert found.files[package.name].sha256 == sha256_hex(package)
    assert set(found.files) == {package.name, "a.dmg"}
    assert "commit" not in json.loads(json.loads((tmp_path / "list.json").read_text())["signed"])


def test_the_command_takes_its_key_from_the_environment(tmp_path: Path) -> None:
    script, file = PACKAGING / "sign_releases.py", write_manifest(tmp_path / "manifest.json")
    given = {"BANKSMAN_RELEASES_KEY": pem(KEY).decode(), "PATH": ""}
    told = subprocess.run(
        [sys.executable, str(script), "--public"], env=given, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == public(KEY)
    words = [sys.executable, str(script), str(file), "--out", str(tmp_path / "list.json")]
    refused = subprocess.run(words, env={"PATH": ""}, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr.startswith("sign_releases: There is no private key in BANKSMAN_RELEASES_KEY.")
    assert not (tmp_path / "list.json").exists()
    subprocess.run(words, env=given, capture_output=True, check=True)
    assert signed_manifest((tmp_path / "list.json").read_bytes(), (public(KEY),))[0].version == "9.1.0"


def test_manifests_of_two_versions_or_with_one_file_twice_are_not_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BANKSMAN_RELEASES_KEY", pem(KEY).decode())
    first, second = write_manifest(tmp_path / "1.json"), write_manifest(tmp_path / "2.json", version="9.2.0")
    broken = tmp_path / "3.json"
    broken.write_text("[]")
    out = tmp_path / "list.json"
    for others, words in (([second], "of another version or commit"), ([first], "the same file"), ([broken], "read")):
        assert sign_releases.main([str(first), *map(str, others), "--out", str(out)]) == 2
        assert words in capsys.readouterr().err
    assert sign_releases.main([str(first), "--out", str(out), "--next-key", "AAAA"]) == 2
    assert sign_releases.main([str(first)]) == 2
    assert not out.exists()


def test_the_notes_of_a_version_are_its_part_of_the_changelog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = ["# Changelog", "## Unreleased\n- x", "## [1.2.0] - 2026-11-01\n### Changed\n- quicker", "## 1.1.0\n- y"]
    (tmp_path / "CHANGELOG.md").write_text("\n\n".join(parts))
    monkeypatch.setattr(describing, "ROOT", tmp_path)
    assert notes("1.2.0") == "### Changed\n- quicker"
    assert notes("1.1.0") == "- y"
    assert notes("1.2") == ""
