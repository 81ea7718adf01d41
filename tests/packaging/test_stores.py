"""What winget, Homebrew and Flatpak are told, and the folder that people get a version from."""

import gzip
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import release
import verify_stores
import yaml
from installer.ground import Problem
from installer.stores import store_texts

DOWNLOADS, PAGE = "https://downloads.example.org/v{version}/", "https://example.org/banksman"
FORMS = {
    ("linux", "amd64"): ["banksman-1.2.0-linux-amd64.tar.zst"],
    ("linux", "arm64"): ["banksman-1.2.0-linux-arm64.tar.zst"],
    ("windows", "amd64"): ["banksman-1.2.0-windows-amd64-unsigned-setup.exe", "banksman-1.2.0-windows-amd64.zip"],
    ("macos", "arm64"): ["banksman-1.2.0-macos-arm64.dmg"],
    ("macos", "amd64"): ["banksman-1.2.0-macos-amd64.dmg"],
}


def sha256_hex(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def manifest(*names: str, notes: str = "") -> dict[str, Any]:
    files = {name: {"bytes": len(name), "sha256": sha256_hex(name)} for name in names}
    return {"version": "1.2.0", "time": 1_790_000_000, "notes": notes, "files": files}


def build(place: Path, system: str, machine: str) -> Path:
    """The dist/ of one system; the content of a form is its name."""
    dist = place / f"{system}-{machine}"
    dist.mkdir(parents=True)
    for name in (*FORMS[system, machine], "banksman.cdx.json", "NOTICES.html"):
        (dist / name).write_text(name)
    told = manifest(*FORMS[system, machine]) | {"system": system, "machine": machine, "commit": "c" * 40}
    (dist / "manifest.json").write_text(json.dumps(told | {"format": 1, "name": "banksman"}))
    return dist


@pytest.mark.parametrize(
    ("downloads", "page"),
    [("", PAGE), (DOWNLOADS, ""), ("http://downloads.example.org", PAGE), ("https://", PAGE), ("", "")],
)
def test_without_the_address_of_the_files_nothing_is_written(downloads: str, page: str) -> None:
    with pytest.raises(Problem, match=r"--(downloads-address|page) names an address that begins with https://"):
        store_texts(manifest("banksman-1.2.0-macos-arm64.dmg"), downloads, page)


def test_winget_is_told_of_the_setup_by_its_address_and_checksum() -> None:
    (name,) = (one for one in FORMS["windows", "amd64"] if one.endswith(".exe"))
    texts = store_texts(manifest(*FORMS["windows", "amd64"], notes='### Added\n- "quicker": #1'), DOWNLOADS, PAGE)
    assert set(texts) == {f"Banksman.Banksman{part}.yaml" for part in ("", ".installer", ".locale.en-US")}
    read = {key: yaml.safe_load(text) for key, text in texts.items()}
    assert {one["PackageIdentifier"] for one in read.values()} == {"Banksman.Banksman"}
    assert {(one["PackageVersion"], one["ManifestVersion"]) for one in read.values()} == {("1.2.0", "1.6.0")}
    told = read["Banksman.Banksman.installer.yaml"]
    assert told["Installers"] == [
        {
            "Architecture": "x64",
            "InstallerUrl": f"https://downloads.example.org/v1.2.0/{name}",
            "InstallerSha256": sha256_hex(name).upper(),
        }
    ]
    assert (told["InstallerType"], told["Scope"], told["ReleaseDate"]) == ("nullsoft", "user", "2026-09-21")
    assert read["Banksman.Banksman.locale.en-US.yaml"]["ReleaseNotes"] == '### Added\n- "quicker": #1'


def test_the_cask_names_the_image_of_each_processor_and_says_when_nobody_signed_it() -> None:
    both = store_texts(manifest("b-1.2.0-macos-arm64.dmg", "b-1.2.0-macos-amd64.dmg"), DOWNLOADS, PAGE)["banksman.rb"]
    for machine, called in (("arm64", "arm"), ("amd64", "intel")):
        part = both[both.index(f"on_{called} do") :].partition("  end")[0]
        assert f'url "https://downloads.example.org/v1.2.0/b-1.2.0-macos-{machine}.dmg"' in part
        assert f'sha256 "{sha256_hex(f"b-1.2.0-macos-{machine}.dmg")}"' in part
    assert "caveats" not in both
    assert "depends_on arch" not in both
    one = store_texts(manifest("b-1.2.0-macos-arm64-unsigned.dmg"), DOWNLOADS, PAGE)["banksman.rb"]
    assert "depends_on arch: :arm64" in one
    assert "Nobody signed this build." in one


def test_nothing_in_an_address_is_computed_by_ruby(tmp_path: Path) -> None:
    text = store_texts(manifest("b-1.2.0-macos-arm64.dmg"), "https://x.example.org/#{`id`}", PAGE)["banksman.rb"]
    assert '"https://x.example.org/\\#{`id`}/b-1.2.0-macos-arm64.dmg"' in text
    if shutil.which("ruby"):
        tmp_path.joinpath("banksman.rb").write_text(text)
        verify_stores.read(tmp_path / "banksman.rb")


def test_flatpak_is_told_of_the_archive_of_each_processor_and_that_it_is_not_published() -> None:
    names = [*FORMS["linux", "amd64"], *FORMS["linux", "arm64"]]
    text = store_texts(manifest(*names), DOWNLOADS, PAGE)["app.banksman.Banksman.yml"]
    assert text.startswith("# Not for publication")
    sources = yaml.safe_load(text)["modules"][0]["sources"]
    assert [(one["only-arches"], one["sha256"]) for one in sources] == [
        (["x86_64"], sha256_hex(names[0])),
        (["aarch64"], sha256_hex(names[1])),
    ]


def test_a_version_is_put_together_from_the_builds_of_all_systems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dists = [build(tmp_path, *key) for key in FORMS]
    out = tmp_path / "release"
    words = [*map(str, dists), "--out", str(out), "--downloads-address", DOWNLOADS, "--page", PAGE]
    assert release.main(words) == 0, capsys.readouterr().err
    names = {file.name for file in out.iterdir()}
    assert {name for forms in FORMS.values() for name in forms} <= names
    assert {"NOTICES-macos-arm64.html", "banksman-linux-amd64.cdx.json", "manifest-windows-amd64.json"} <= names
    assert {"Banksman.Banksman.yaml", "banksman.rb", "app.banksman.Banksman.yml"} <= names
    listed = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
    assert set(listed) == names - {"SHA256SUMS"}
    assert all(hashlib.sha256((out / name).read_bytes()).hexdigest() == told for name, told in listed.items())
    assert release.main(words) == 2
    assert "is there already" in capsys.readouterr().err


def test_a_changed_form_or_no_address_leaves_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dist, out = build(tmp_path, "macos", "arm64"), tmp_path / "release"
    assert release.main([str(dist), "--out", str(out)]) == 2
    assert "--downloads-address names an address" in capsys.readouterr().err
    (dist / FORMS["macos", "arm64"][0]).write_text("other")
    words = [str(dist), "--out", str(out), "--downloads-address", DOWNLOADS, "--page", PAGE]
    assert release.main(words) == 2
    assert "is not the file that its manifest names" in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == [dist.name]


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed")
def test_a_signed_release_is_a_repository_for_apt(
    tmp_path: Path, gpg_key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    control = "Package: banksman\nVersion: 1.2.0\nArchitecture: amd64\nMaintainer: x <x@example.org>\nDescription: x\n"
    (tree / "DEBIAN" / "control").write_text(control)
    package = tmp_path / "banksman_1.2.0_amd64.deb"
    subprocess.run(["dpkg-deb", "--build", str(tree), str(package)], check=True, capture_output=True)
    dist = build(tmp_path / "builds", "linux", "amd64")
    shutil.copyfile(package, dist / package.name)
    told = json.loads((dist / "manifest.json").read_text())
    content = package.read_bytes()
    told["files"] = {package.name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}}
    (dist / "manifest.json").write_text(json.dumps(told))
    monkeypatch.setenv("BANKSMAN_GPG_KEY", gpg_key)
    out = tmp_path / "release"
    words = [str(dist), "--out", str(out), "--downloads-address", DOWNLOADS, "--page", PAGE]
    assert release.main(words) == 0, capsys.readouterr().err
    index = (out / "Packages").read_text()
    assert f"Filename: ./{package.name}\n" in index
    assert f"SHA256: {told['files'][package.name]['sha256']}\n" in index
    assert hashlib.sha256(index.encode()).hexdigest() in (out / "InRelease").read_text()
    for checked in (["InRelease"], ["Release.gpg", "Release"], ["SHA256SUMS.asc", "SHA256SUMS"]):
        subprocess.run(["gpg", "--batch", "--verify", *checked], cwd=out, check=True, capture_output=True)


def test_a_text_that_its_schema_refuses_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = json.dumps({"type": "object", "required": ["PackageVersion"]}).encode()
    name, kept = "Banksman.Banksman.yaml", tmp_path / "schemas"
    kept.mkdir()
    kept.joinpath("version.json").write_bytes(schema)
    pinned = {name: ("https://example.org/version.json", hashlib.sha256(schema).hexdigest())}
    monkeypatch.setattr(verify_stores, "SCHEMAS", pinned)
    words = [str(tmp_path), "--schemas", str(kept)]
    assert verify_stores.main(words) == 1
    assert "There is no text for a store" in capsys.readouterr().err
    (tmp_path / name).write_text("Package: x\n")
    assert verify_stores.main(words) == 1
    assert "'PackageVersion' is a required property" in capsys.readouterr().err
    (tmp_path / name).write_text("PackageVersion: x\n")
    assert verify_stores.main(words) == 0
    kept.joinpath("version.json").write_bytes(gzip.compress(schema))
    assert verify_stores.main(words) == 1
    assert "is not the schema that is pinned" in capsys.readouterr().err


def test_schemas_are_of_a_commit_and_by_checksum() -> None:
    for address, told in verify_stores.SCHEMAS.values():
        assert re.search(r"/[0-9a-f]{40}/", address)
        assert re.fullmatch("[0-9a-f]{64}", told)
