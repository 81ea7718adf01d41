"""The installers' own rules, over small trees: what may be shipped, what belongs to what, what is refused."""

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from installer import bill, ground, linux, macos, runtime, stage, windows
from installer.bill import is_allowed, licence_words
from installer.ground import PACKAGING, ROOT, Problem, out
from installer.signing import Signer

from desktop.__main__ import COMMANDS
from desktop.config import qt_libraries

RULES = {"allowed": ["MIT", "BSD-3-Clause", "Apache-2.0"], "exceptions": {"loader": "why"}}


def test_libraries_of_the_system_are_told_from_copies_that_packages_ship() -> None:
    assert stage.is_of_the_system("libX11.so.6")
    assert stage.is_of_the_system("libharfbuzz.so.0")
    assert not stage.is_of_the_system("libharfbuzz-172d1f63.so.0.61421.0")
    assert not stage.is_of_the_system("libcrypto.so.3")
    assert not stage.is_of_the_system("libpython3.11.so.1.0")


def test_every_library_that_qt_is_said_to_need_is_declared() -> None:
    declared = set(stage.system_libraries().packages.values())
    named = {*qt_libraries.OFFSCREEN_LIBRARIES.values(), *qt_libraries.DISPLAY_LIBRARIES.values()}
    assert named <= declared


def test_what_may_not_be_shipped_is_named(tmp_path: Path) -> None:
    inside = tmp_path / "_internal" / "x" / "tests"
    inside.mkdir(parents=True)
    inside.joinpath("a.py").touch()
    tmp_path.joinpath("libreadline.so.8").touch()
    tmp_path.joinpath("fine.so").touch()
    tmp_path.joinpath("out").symlink_to("/etc/passwd")
    tmp_path.joinpath("gone").symlink_to("nothing")
    tmp_path.joinpath("kept").symlink_to("fine.so")
    assert stage.forbidden_files(tmp_path) == [
        "_internal/x/tests/a.py may not be shipped",
        "libreadline.so.8 may not be shipped",
    ]
    assert stage.links_out(tmp_path) == ["gone leads out of the tree", "out leads out of the tree"]


def test_a_file_that_is_on_no_list_is_named_and_what_the_tree_ships_is_on_it(tmp_path: Path) -> None:
    shipped = out("git", "ls-files", "resources", "desktop/providers/demo_scripts/*.json").splitlines()
    for name in (*shipped, "resources/icons/notes.orig", "libXcomposite.so.1", "x-1.0.dist-info/METADATA"):
        file = tmp_path / "_internal" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "banksman").touch()
    (tmp_path / "_internal" / "libnew.so").symlink_to("libXcomposite.so.1")
    named = [line.split()[0] for line in stage.unlisted_files(tmp_path, "linux")]
    assert named == ["_internal/libXcomposite.so.1", "_internal/libnew.so", "_internal/resources/icons/notes.orig"]


@pytest.mark.parametrize("system", ["windows", "macos"])
def test_the_program_of_another_system_is_on_its_list(tmp_path: Path, system: str) -> None:
    names = {
        "windows": [
            "banksman.exe",
            "_internal/PySide6/Qt6Core.dll",
            "_internal/PySide6/plugins/platforms/qwindows.dll",
        ],
        "macos": [
            "banksman",
            "_internal/Python",
            "_internal/PySide6/Qt/lib/QtCore.framework/Versions/A/Resources/Info.plist",
        ],
    }
    for name in (*names[system], "_internal/other.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [line.split()[0] for line in stage.unlisted_files(tmp_path, system)] == ["_internal/other.txt"]


def test_a_pattern_stays_within_a_folder_unless_it_says_otherwise() -> None:
    assert re.fullmatch(stage.as_expression("a/*.so"), "a/b.so")
    assert not re.fullmatch(stage.as_expression("a/*.so"), "a/b/c.so")
    assert re.fullmatch(stage.as_expression("a/**"), "a/b/c.so")
    assert not re.fullmatch(stage.as_expression("a.so"), "a-so")


def test_paths_of_the_building_machine_are_found_in_texts_and_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "environment_python", lambda *_: Path(sys.executable))
    monkeypatch.setenv("HOME", "/home/builder")
    (tmp_path / "fine").write_bytes(b"\x7fELF\0/usr/lib\0")
    (tmp_path / "text").write_text(f'{{"made in": "{ROOT}/build"}}')
    (tmp_path / "program").write_bytes(b"\x7fELF\0/home/builder/.cargo/registry\0")
    assert stage.machine_paths(tmp_path) == [
        "program holds the path /home/builder",
        f"text holds the path {ROOT}",
    ]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is not installed")
def test_a_program_that_needs_a_newer_glibc_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "int main(void) { return 0; }"
    subprocess.run(["gcc", "-x", "c", "-", "-o", str(tmp_path / "program")], input=source, text=True, check=True)
    assert stage.linked(tmp_path)[0] == []
    monkeypatch.setattr(stage, "NEWEST_GLIBC", (2, 2))
    said = stage.linked(tmp_path)[0]
    assert len(said) == 1
    assert re.fullmatch(r"program needs glibc 2\.\d+(\.\d+)?", said[0])


@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is not installed")
def test_a_library_that_nothing_brings_is_named_and_packages_are_found(tmp_path: Path) -> None:
    shutil.copy(shutil.which("objdump") or "", tmp_path / "program")
    lacking, packages = stage.linked(tmp_path)
    assert "libc6 (>= 2.36)" in packages
    assert any(re.match(r"program needs libopcodes\S+, which nothing brings", one) for one in lacking)


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        ("MIT", True), ("MIT AND BSD-3-Clause", True), ("MIT AND GPL-3.0-only", False), ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only", False), ("", False), ("(MIT OR GPL-3.0-only)", True),
    ],
)  # fmt: skip
def test_a_licence_counts_where_one_choice_is_allowed_whole(words: str, allowed: bool) -> None:
    assert is_allowed({"name": "x", "licenses": [{"expression": words}]}, RULES) is allowed


def test_an_exception_is_named_and_licences_are_joined() -> None:
    assert is_allowed({"name": "loader", "licenses": []}, RULES)
    licences = [
        {"license": {"id": "MIT"}},
        {"license": {"name": "declared license file: x"}},
        {"license": {"name": "ISC"}},
    ]
    assert licence_words({"licenses": licences}) == "MIT AND ISC"


def test_a_file_that_belongs_to_no_component_stops_the_build(tmp_path: Path) -> None:
    tmp_path.joinpath("libnew.so").touch()
    with pytest.raises(Problem, match=r"libnew\.so"):
        bill.native_components(tmp_path, [])


def test_a_tag_that_is_not_the_version_is_refused_before_the_first_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ground, "BUILDERS", {ground.SYSTEM: {}})
    with pytest.raises(Problem, match=r"The tag is v0 and the version is"):
        ground.require(dirty=True, tag="v0")
    monkeypatch.setattr(ground, "BUILDERS", {ground.SYSTEM: {"no-such-program": "the package"}})
    with pytest.raises(Problem, match=r"There is no no-such-program here\. Install the package"):
        ground.require(dirty=True)


def test_a_runtime_is_of_a_commit_and_what_it_wants_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(re.fullmatch("[0-9a-f]{40}", commit) for _, commit in runtime.SOURCES.values())
    monkeypatch.setattr(runtime, "TOOLS", {"no-such-program": "the package"})
    with pytest.raises(Problem, match=r"There is no no-such-program here\. Install the package"):
        runtime.compile_runtime()
    monkeypatch.setattr(runtime, "TOOLS", {})
    monkeypatch.setattr(runtime, "LIBRARIES", ("no-such-library",))
    if shutil.which("pkg-config"):
        with pytest.raises(Problem, match="Install libfuse3-dev"):
            runtime.compile_runtime()


@pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd is not installed")
def test_an_archive_starts_where_it_lies_and_has_fixed_owners_and_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linux, "commit_time", lambda: "1700000000")
    monkeypatch.setattr(linux, "WORK", tmp_path / "work")
    monkeypatch.setattr(linux, "draw_icons", lambda _: drawn)
    drawn, program = tmp_path / "icons", tmp_path / "banksman"
    drawn.mkdir()
    for size in linux.SIZES:
        drawn.joinpath(f"{size}.png").touch()
    program.mkdir()
    program.joinpath("banksman").write_text('#!/bin/sh\necho "started with $*"\n')
    program.joinpath("data").write_text("y")
    program.joinpath("data").chmod(0o600)
    made = linux.pack_archive(program, Signer(), tmp_path)
    first = made.read_bytes()
    assert linux.pack_archive(program, Signer(), tmp_path).read_bytes() == first
    subprocess.run(["zstd", "-q", "-d", str(made), "-o", str(tmp_path / "plain.tar")], check=True)
    with tarfile.open(tmp_path / "plain.tar") as archive:
        entries = {one.name.partition("/")[2]: one for one in archive.getmembers()}
        archive.extractall(tmp_path / "there", filter="tar")
    assert {(one.uname, one.uid, one.mtime) for one in entries.values()} == {("root", 0, 1700000000)}
    modes = {name: one.mode for name, one in entries.items() if one.isfile()}
    assert (modes["AppRun"], modes["usr/lib/banksman/banksman"], modes["usr/lib/banksman/data"]) == (
        0o755,
        0o755,
        0o644,
    )
    assert "usr/share/applications/banksman.desktop" in modes
    start = tmp_path / "there" / made.name.removesuffix(".tar.zst") / "AppRun"
    done = subprocess.run([str(start), "demo", "--auto"], capture_output=True, text=True, check=True)
    assert done.stdout == "started with demo --auto\n"


@pytest.mark.skipif(shutil.which("makensis") is None, reason="makensis is not installed")
def test_the_script_of_the_windows_setup_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "stage"
    (program / "_internal").mkdir(parents=True)
    program.joinpath("banksman.exe").write_bytes(b"MZ")
    program.joinpath("_internal", "a.dll").write_bytes(b"MZ")
    monkeypatch.setattr(windows, "draw_icons", lambda folder: icon_folder(folder, tmp_path))
    made = windows.pack_setup(program, Signer(), tmp_path)
    assert made.read_bytes()[:2] == b"MZ"
    assert ground.version() in made.name


def icon_folder(_folder: Path, tmp_path: Path) -> Path:
    """A folder with an icon of one picture."""
    from PIL import Image  # noqa: PLC0415  # only here

    Image.new("RGBA", (32, 32), (1, 2, 3, 255)).save(tmp_path / "banksman.ico")
    return tmp_path


def test_the_bundle_of_macos_opens_the_links_and_runs_the_program() -> None:
    read = macos.information()
    assert read["CFBundleExecutable"] == "banksman"
    assert read["CFBundleURLTypes"] == [{"CFBundleURLName": "Banksman", "CFBundleURLSchemes": ["banksman"]}]
    assert read["CFBundleVersion"] == ground.version()


def test_what_the_desktop_reads_opens_links() -> None:
    entry = (PACKAGING / "linux" / "banksman.desktop").read_text()
    assert "MimeType=x-scheme-handler/banksman;" in entry
    assert "Exec=banksman %u" in entry
    described = ElementTree.parse(PACKAGING / "linux" / "banksman.metainfo.xml").getroot()
    assert described.findtext("launchable") == "banksman.desktop"


def test_the_manual_and_the_completions_name_every_command() -> None:
    texts = [(PACKAGING / "linux" / "banksman.1").read_text().replace("\\-", "-")]
    texts += [file.read_text() for file in (PACKAGING / "linux" / "completions").iterdir()]
    names = [name for name in (*COMMANDS, "demo") if not name.startswith("-")]
    assert {name for text in texts for name in names if name not in text} == set()


def test_the_pins_of_the_freeze_are_those_of_the_tests() -> None:
    tested = set((PACKAGING / "requirements-dev.txt").read_text().splitlines())
    frozen = [line for line in (PACKAGING / "requirements-build.txt").read_text().splitlines() if "==" in line]
    assert frozen
    assert set(frozen) <= tested


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands(tmp_path: Path) -> None:
    asked = "COMP_WORDS=(banksman ha); COMP_CWORD=1; _banksman; echo ${COMPREPLY[@]}"
    script = f". {PACKAGING}/linux/completions/banksman.bash; {asked}"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["handover"]
