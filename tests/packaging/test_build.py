"""The build as a whole: what must hold before it, what is looked at after packing, and what one that fails leaves."""

import argparse
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from installer import ground, icons, linux, stage, verify
from installer.bill import BILL, NOTICES, PLACE
from installer.describe import MANIFEST, SUMS, sha256_hex
from installer.ground import Problem
from installer.signing import Signer

import build


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build that packs nothing, in folders of its own; what it would make goes to `dist`."""
    monkeypatch.setattr(build, "DIST", tmp_path / "dist")
    monkeypatch.setattr(build, "WORK", tmp_path / "work")
    monkeypatch.setattr(build, "require", lambda **_: None)
    monkeypatch.setattr(build, "arguments", lambda: argparse.Namespace(
        releases_address="", releases_page="", releases_key="", dirty=False, tag="",
    ))  # fmt: skip
    monkeypatch.setattr(build, "signer", Signer)
    return tmp_path


def test_a_whole_build_takes_the_place_of_the_one_before(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (places / "dist").mkdir()
    (places / "dist" / "old").touch()
    monkeypatch.setattr(build, "build", lambda *told: told[-1].joinpath("new").write_text("x"))
    assert build.main() == 0
    assert [file.name for file in (places / "dist").iterdir()] == ["new"]


@pytest.mark.parametrize("end", [Problem("It broke."), KeyboardInterrupt()])
def test_a_build_that_breaks_off_leaves_nothing_of_it(
    places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], end: BaseException
) -> None:
    def broken(*told: object) -> None:
        assert isinstance(told[-1], Path)
        told[-1].joinpath("half").write_text("x")
        raise end

    monkeypatch.setattr(build, "build", broken)
    if isinstance(end, Problem):
        assert build.main() == 2
        assert capsys.readouterr().err == "build: It broke.\n"
    else:
        with pytest.raises(KeyboardInterrupt):
            build.main()
    assert not (places / "dist").exists()


def test_changed_files_and_a_full_disk_are_named_before_the_first_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "changed.py").touch()
    (tmp_path / "desktop").mkdir()
    (tmp_path / "desktop" / "__init__.py").write_text('__version__ = "1.0"\n')
    monkeypatch.setattr(ground, "ROOT", tmp_path)
    monkeypatch.setattr(ground, "BUILDERS", {ground.SYSTEM: {}})
    monkeypatch.setattr(ground, "out", lambda *words: ground.run(*words, cwd=tmp_path, quiet=True).stdout.strip())
    with pytest.raises(Problem, match=r"These files differ from the commit: changed\.py"):
        ground.require()
    ground.require(dirty=True)
    monkeypatch.setattr(ground, "NEEDED_BYTES", 10**18)
    with pytest.raises(Problem, match="GB free here; a build needs 2 GB"):
        ground.require(dirty=True)


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stage with a program that tells the version, and the archive `form.zip` of it."""
    monkeypatch.setattr(verify, "WORK", tmp_path)
    monkeypatch.setattr(verify, "program_name", lambda: "banksman")
    monkeypatch.setattr(verify, "version", lambda: "1.0")
    stage = tmp_path / "stage"
    stage.mkdir()
    (stage / "banksman").write_text('#!/bin/sh\necho "banksman 1.0"\n')
    (stage / "banksman").chmod(0o755)
    zipped(tmp_path)
    return tmp_path


def zipped(place: Path) -> None:
    """The stage as it is now, packed."""
    with zipfile.ZipFile(place / "form.zip", "w") as archive:
        archive.write(place / "stage" / "banksman", "form/banksman")


def test_a_form_with_other_files_than_the_stage_is_refused(packed: Path) -> None:
    (packed / "stage" / "more").write_text("x")
    with pytest.raises(Problem, match=r"form\.zip holds other files than the stage:\n  more"):
        verify.verify([packed / "form.zip"], packed / "stage")


def test_a_program_that_does_not_start_or_is_of_another_version_is_refused(
    packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Problem, match=r"The program in form\.zip does not start"):
        verify.verify([packed / "form.zip"], packed / "stage")  # zip keeps no modes where it is unpacked
    verify.starts(packed / "form.zip", packed / "stage" / "banksman")
    monkeypatch.setattr(verify, "version", lambda: "2.0")
    with pytest.raises(Problem, match=r"ended with 0: banksman 1\.0"):
        verify.starts(packed / "form.zip", packed / "stage" / "banksman")


@pytest.fixture
def small(places: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What PyInstaller and the pinned packages would give is a small program; all later steps are the build's own."""
    if ground.SYSTEM != "linux" or not all(map(shutil.which, ("dpkg-deb", "zstd", "objdump"))):
        pytest.skip("dpkg-deb, zstd or objdump is not installed")
    for module in (linux, stage, verify):
        monkeypatch.setattr(module, "WORK", places / "work")
    for module in (stage, icons):
        monkeypatch.setattr(module, "environment_python", lambda *_: Path(sys.executable))
    frozen = places / "frozen" / "banksman"
    frozen.joinpath("_internal").mkdir(parents=True)
    frozen.joinpath("_internal", "libX11.so.6").write_bytes(b"of the system")
    frozen.joinpath("banksman").write_text(f'#!/bin/sh\necho "banksman {ground.version()}"\n')
    frozen.joinpath("banksman").chmod(0o755)

    def described(place: Path) -> list[dict[str, str]]:
        place.joinpath(PLACE).mkdir(parents=True)
        for name in (BILL, NOTICES):
            place.joinpath(PLACE, name).write_text("none")
        return [{"name": "one"}]

    monkeypatch.setattr(build, "freeze", lambda: frozen)
    monkeypatch.setattr(build, "write_bill", described)
    given = argparse.Namespace(**vars(build.arguments()), again=False, appimage=False)
    monkeypatch.setattr(build, "arguments", lambda: given)
    return places


def test_a_small_program_goes_through_the_whole_build(small: Path) -> None:
    build.arguments().again = True
    assert build.main() == 0
    made = {file.name: sha256_hex(file) for file in (small / "dist").iterdir()}
    forms = [name for name in made if name.endswith((".deb", ".tar.zst"))]
    assert len(forms) == 2
    assert made.keys() - forms == {BILL, NOTICES, MANIFEST, SUMS}
    summed = dict(line.split("  ")[::-1] for line in (small / "dist" / SUMS).read_text().splitlines())
    assert summed == {name: digest for name, digest in made.items() if name != SUMS}
    told = json.loads((small / "dist" / MANIFEST).read_text())
    assert {name: one["sha256"] for name, one in told["files"].items()} == {name: made[name] for name in forms}
    (deb,) = (name for name in forms if name.endswith(".deb"))
    held = subprocess.run(["dpkg-deb", "--contents", str(small / "dist" / deb)], capture_output=True, text=True).stdout
    assert "./usr/lib/banksman/banksman\n" in held
    assert "libX11" not in held


@pytest.mark.parametrize(
    ("program", "told"), [("echo banksman 0", "ended with 0: banksman 0"), ("exit 3", "ended with 3")]
)
def test_a_build_whose_program_does_not_tell_its_version_leaves_the_one_before(
    small: Path, capsys: pytest.CaptureFixture[str], program: str, told: str
) -> None:
    (small / "dist").mkdir()
    (small / "dist" / "old").touch()
    small.joinpath("frozen", "banksman", "banksman").write_text(f"#!/bin/sh\n{program}\n")
    assert build.main() == 2
    assert told in capsys.readouterr().err
    assert [file.name for file in (small / "dist").iterdir()] == ["old"]


def test_a_form_that_packing_left_a_file_out_of_stops_the_build(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    laid = linux.lay_tree

    def less(place: Path, tree: Path) -> None:
        laid(place, tree)
        tree.joinpath("usr", "lib", "banksman", PLACE, BILL).unlink()

    monkeypatch.setattr(linux, "lay_tree", less)
    assert build.main() == 2
    said = capsys.readouterr().err
    assert ".deb holds other files than the stage:" in said
    assert f"\n  {(PLACE / BILL).as_posix()}" in said
    assert not (small / "dist").exists()
