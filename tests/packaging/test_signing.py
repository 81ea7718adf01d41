"""Who signs the forms: real keys on Linux, and the words that the signing programs of other systems are given."""

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from installer import describe as describing
from installer import ground, macos, signing, stage, windows
from installer.describe import describe
from installer.ground import Problem
from installer.signing import MARK, Signer, mark, public_keys, sign_beside, signer

from desktop.config import folders

RECORDER = '#!/bin/sh\necho "$(basename "$0") $*" >> "$RECORD"\n'
CERTIFICATE = Signer(certificate="A1B2", timestamps="http://time.example.org")
IDENTITY = Signer(identity="Developer ID Application: Somebody", notary="banksman")


@pytest.fixture
def minisign_key(tmp_path: Path) -> str:
    """The file of a secret key without a password."""
    if shutil.which("minisign") is None:
        pytest.skip("minisign is not installed")
    key = tmp_path / "secret.key"
    words = ["-G", "-W", "-s", str(key), "-p", str(tmp_path / "made.pub")]
    subprocess.run(["minisign", *words], check=True, capture_output=True)
    return str(key)


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What programs that only other systems have were told, a line each: here they write that down and no more."""
    programs, record = tmp_path / "programs", tmp_path / "record"
    programs.mkdir()
    for program in ("signtool", "codesign", "xcrun"):
        programs.joinpath(program).write_text(RECORDER)
        programs.joinpath(program).chmod(0o755)
    monkeypatch.setenv("RECORD", str(record))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    record.touch()
    return record


def test_nobody_signs_where_no_key_is_named_and_every_name_says_so(tmp_path: Path) -> None:
    for system in ("linux", "windows", "macos"):
        assert signer({}, system) == Signer()
    assert Signer().by == ""
    assert "-unsigned" in ground.name(".zip", signed=False)
    assert "-unsigned" not in ground.name(".zip", signed=True)
    mark(Signer(), tmp_path)
    assert sign_beside(Signer(), tmp_path / "file") == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("system", "given"),
    [
        ("windows", {"BANKSMAN_CERTIFICATE": "A1"}), ("windows", {"BANKSMAN_TIMESTAMPS": "http://t"}),
        ("macos", {"BANKSMAN_CODESIGN_IDENTITY": "x"}), ("macos", {"BANKSMAN_NOTARY_PROFILE": "x"}),
    ],
)  # fmt: skip
def test_a_half_of_what_signs_is_refused(system: str, given: dict[str, str]) -> None:
    with pytest.raises(Problem, match="are given together, or neither"):
        signer(given, system)


def test_a_key_without_its_program_is_refused_before_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Problem, match="There is no gpg here"):
        signer({"BANKSMAN_GPG_KEY": "AB"}, "linux")
    with pytest.raises(Problem, match="There is no minisign here"):
        signer({"BANKSMAN_MINISIGN_KEY": "AB"}, "linux")
    monkeypatch.setattr(signing, "_KITS", Path("no such folder"))
    with pytest.raises(Problem, match="There is no signtool here"):
        signing.signtool()


def test_files_and_checksums_are_signed_by_gpg_so_that_a_changed_byte_shows(tmp_path: Path, gpg_key: str) -> None:
    by = signer({"BANKSMAN_GPG_KEY": gpg_key}, "linux")
    made, dist, place = tmp_path / "x.deb", tmp_path, tmp_path / "stage"
    (place / describing.PLACE).mkdir(parents=True)
    for name in (describing.BILL, describing.NOTICES):
        (place / describing.PLACE / name).write_text("x")
    made.write_bytes(b"the package")
    mark(by, place)
    describe([made], place, [], by, dist)
    assert (place / MARK).read_text() == f"GPG {gpg_key}\n"
    assert f'"signed_by": "GPG {gpg_key}"' in (dist / "manifest.json").read_text()
    assert " x.deb.asc" in (dist / "SHA256SUMS").read_text()
    (shown,) = public_keys(by, tmp_path)
    assert shown.read_text().startswith("-----BEGIN PGP PUBLIC KEY BLOCK-----")
    for signed in (made, dist / "SHA256SUMS"):
        words = ["gpg", "--batch", "--verify", f"{signed}.asc", str(signed)]
        assert subprocess.run(words, check=False, capture_output=True).returncode == 0
        signed.write_bytes(signed.read_bytes() + b"x")
        assert subprocess.run(words, check=False, capture_output=True).returncode == 1


def test_files_are_signed_by_minisign_so_that_a_changed_byte_shows(tmp_path: Path, minisign_key: str) -> None:
    by = signer({"BANKSMAN_MINISIGN_KEY": minisign_key}, "linux")
    made = tmp_path / "x.deb"
    made.write_bytes(b"the package")
    (signature,) = sign_beside(by, made)
    (key,) = public_keys(by, tmp_path)
    words = ["minisign", "-V", "-p", str(key), "-m", str(made), "-x", str(signature)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert "Trusted comment: x.deb" in done.stdout
    made.write_bytes(b"the Package")
    assert subprocess.run(words, check=False, capture_output=True).returncode == 1


@pytest.mark.skipif(os.name == "nt", reason="the recorder is a script for sh")
@pytest.mark.skipif(shutil.which("makensis") is None, reason="makensis is not installed")
def test_on_windows_program_removal_and_setup_are_signed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Path
) -> None:
    program = tmp_path / "stage"
    (program / "_internal").mkdir(parents=True)
    program.joinpath("banksman.exe").write_bytes(b"MZ")
    program.joinpath("_internal", "a.dll").write_bytes(b"MZ")
    monkeypatch.setattr(windows, "draw_icons", lambda _: tmp_path)
    icon_at(tmp_path / "banksman.ico")
    setup, archive = windows.pack(program, CERTIFICATE, tmp_path)
    assert "-unsigned" not in f"{setup.name}{archive.name}"
    lines = said.read_text().splitlines()
    words = "signtool sign /sha1 A1B2 /fd sha256 /tr http://time.example.org /td sha256"
    assert all(line.startswith(words) for line in lines)
    assert lines[0].endswith("banksman.exe")
    assert lines[-1].endswith(setup.name)
    assert len(lines) == 3


def icon_at(file: Path) -> None:
    """An icon of one picture."""
    from PIL import Image  # noqa: PLC0415  # only here

    Image.new("RGBA", (32, 32), (1, 2, 3, 255)).save(file)


@pytest.fixture
def program_of_macos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small stage in the forms that the real one has."""
    monkeypatch.setattr(macos, "WORK", tmp_path / "work")
    monkeypatch.setattr(macos, "environment_python", lambda *_: Path(sys.executable))
    place = tmp_path / "stage"
    texts = ("resources/guests.toml", "x-1.0.dist-info/METADATA", "desktop/a.json")
    code = ("Python", "PIL/_imaging.so", "PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore")
    for name in (*texts, *code):
        file = place / "_internal" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"text" if name in texts else macos.MACH_O[0] + b"code")
    (place / "_internal" / "QtCore").symlink_to("PySide6/Qt/lib/QtCore.framework/Versions/A/QtCore")
    (place / "banksman").write_bytes(macos.MACH_O[0])
    (place / "banksman").chmod(0o755)
    (tmp_path / "banksman.icns").write_bytes(b"icon")
    return place


def test_an_application_has_code_and_texts_where_macos_wants_them(
    tmp_path: Path, program_of_macos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = tmp_path / "Banksman.app"
    macos.bundle(program_of_macos, tmp_path / "banksman.icns", app)
    contents = app / "Contents"
    assert [one.name for one in contents.joinpath("MacOS").iterdir()] == ["banksman"]
    assert contents.joinpath("MacOS", "banksman").stat().st_mode & 0o111
    code = [one for one in stage.files(contents / "Frameworks")]
    assert [one for one in code if not macos.is_program(one)] == []
    assert [one for one in stage.files(contents / "Resources") if macos.is_program(one)] == []
    assert (contents / "Frameworks" / "QtCore").read_bytes() == macos.MACH_O[0] + b"code"
    assert (contents / "Frameworks" / "x-1.0.dist-info").is_symlink()
    monkeypatch.setattr(folders.sys, "_MEIPASS", str(contents / "Frameworks"), raising=False)
    monkeypatch.setattr(folders.sys, "frozen", True, raising=False)
    assert (folders.resource_folder() / "guests.toml").read_text() == "text"
    assert stage.links_out(app) == []


@pytest.mark.skipif(os.name == "nt", reason="the recorder is a script for sh")
def test_on_macos_libraries_are_signed_before_the_whole_and_the_image_is_notarised(
    tmp_path: Path, program_of_macos: Path, monkeypatch: pytest.MonkeyPatch, said: Path
) -> None:
    monkeypatch.setattr(macos, "draw_icons", lambda _: tmp_path)
    image = tmp_path / "programs" / "python3"
    image.write_text(f'#!/bin/sh\ncase "$*" in *dmgbuild*) exit 0 ;; esac\nexec "{sys.executable}" "$@"\n')
    image.chmod(0o755)
    monkeypatch.setattr(macos, "environment_python", lambda *_: image)
    made = macos.pack_dmg(program_of_macos, IDENTITY, tmp_path)
    assert "-unsigned" not in made.name
    lines = said.read_text().splitlines()
    hard = "codesign --force --timestamp --options runtime --sign Developer ID Application: Somebody"
    inner = [line for line in lines if line.startswith(hard) and "--entitlements" not in line]
    assert [line.rpartition("/")[2] for line in inner] == ["_imaging.so", "QtCore", "Python", "QtCore.framework"]
    rest = lines[len(inner) :]
    assert rest[0].endswith("Banksman.app")
    assert "entitlements.plist" in rest[0]
    assert rest[1] == f"codesign --force --timestamp --sign Developer ID Application: Somebody {made}"
    assert rest[2] == f"xcrun notarytool submit {made} --keychain-profile banksman --wait"
    assert rest[3] == f"xcrun stapler staple {made}"
    assert plistlib.loads(macos.ENTITLEMENTS.read_bytes()) == {
        "com.apple.security.cs.allow-unsigned-executable-memory": True
    }


@pytest.mark.skipif(os.name == "nt", reason="the recorder is a script for sh")
def test_without_an_identity_an_application_is_signed_in_form_alone(tmp_path: Path, said: Path) -> None:
    macos.sign_app(Signer(), tmp_path / "Banksman.app")
    assert said.read_text().splitlines() == [f"codesign --force --deep --sign - {tmp_path / 'Banksman.app'}"]
