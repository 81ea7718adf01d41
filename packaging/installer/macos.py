"""The form for macOS: an application bundle in a disk image, signed and notarised where keys are there."""

import json
import os
import plistlib
import shutil
from pathlib import Path

from installer.freeze import ENVIRONMENT, PINS
from installer.ground import PACKAGING, WORK, environment_python, name, out, run, version
from installer.icons import draw_icons
from installer.signing import Signer
from installer.stage import files

IDENTIFIER = "banksman.Banksman"
OLDEST_MACOS = "13.0"
ENTITLEMENTS = PACKAGING / "macos" / "entitlements.plist"
MACH_O = (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")
_LAYOUT = """
import json, sys
from PyInstaller.building.osx import BUNDLE
print(json.dumps(BUNDLE._process_bundle_toc(BUNDLE.__new__(BUNDLE), json.load(open(sys.argv[1])))))
"""


def pack_dmg(stage: Path, by: Signer, dist: Path) -> Path:
    """The disk image; its file. Needs macOS."""
    place = WORK / "image"
    shutil.rmtree(place, ignore_errors=True)
    app = place / "Banksman.app"
    bundle(stage, draw_icons(WORK / "icons") / "banksman.icns", app)
    sign_app(by, app)
    target = dist / name(".dmg", signed=bool(by.by))
    python = environment_python("image", "requirements-image.txt")
    settings = PACKAGING / "macos" / "image.py"
    words = ["-s", str(settings), "-D", f"app={app}", f"Banksman {version()}", str(target)]
    run(str(python), "-m", "dmgbuild", *words)
    if by.identity:
        run("codesign", "--force", "--timestamp", "--sign", by.identity, str(target))
        run("xcrun", "notarytool", "submit", str(target), "--keychain-profile", by.notary, "--wait")
        run("xcrun", "stapler", "staple", str(target))
    return target


def sign_app(by: Signer, app: Path) -> None:
    """Each library and then the whole by its Developer ID, for the hardened runtime; without one only in form."""
    if not by.identity:
        run("codesign", "--force", "--deep", "--sign", "-", str(app))
        return
    words = ["codesign", "--force", "--timestamp", "--options", "runtime", "--sign", by.identity]
    libraries = [file for file in files(app / "Contents" / "Frameworks") if is_program(file)]
    frameworks = [one for one in app.rglob("*.framework") if one.is_dir() and not one.is_symlink()]
    for inner in [*libraries, *sorted(frameworks)]:
        run(*words, str(inner), quiet=True)
    run(*words, "--entitlements", str(ENTITLEMENTS), str(app))


def bundle(stage: Path, icon: Path, app: Path) -> None:
    """The program's folder as an application, with its icon and the links that it opens. Programs and libraries lie in
    `Frameworks`, all else in `Resources`, each linked into the other: so codesign and PyInstaller's loader want it."""
    for target, source, kind in layout(stage):
        place = app / target
        place.parent.mkdir(parents=True, exist_ok=True)
        if kind == "SYMLINK":
            place.symlink_to(source)
        else:
            shutil.copy(source, place)
    contents = app / "Contents"
    shutil.copyfile(icon, contents / "Resources" / "banksman.icns")
    contents.joinpath("Info.plist").write_bytes(plistlib.dumps(information()))


def layout(stage: Path) -> list[tuple[str, str, str]]:
    """Where everything of the stage lies in an application: (path in it, file or target of the link, kind), as
    PyInstaller's own bundles have it."""
    entries = [entry(one, stage) for one in sorted(stage.rglob("*")) if one.is_symlink() or one.is_file()]
    python = environment_python(ENVIRONMENT, *PINS)
    listed = WORK / "layout.json"
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text(json.dumps(entries), "utf-8")
    read = json.loads(out(str(python), "-c", _LAYOUT, str(listed)))
    return [(target, source, kind) for target, source, kind in read]


def entry(file: Path, stage: Path) -> tuple[str, str, str]:
    """One file of the stage as PyInstaller names it."""
    name = file.relative_to(stage)
    inner = name.relative_to("_internal") if name.parts[0] == "_internal" else name
    if file.is_symlink():
        return str(inner), os.readlink(file), "SYMLINK"  # noqa: PTH115  # the words of the link, not where it leads
    if inner is name:
        return str(inner), str(file), "EXECUTABLE"
    return str(inner), str(file), "BINARY" if is_program(file) else "DATA"


def is_program(file: Path) -> bool:
    """Whether macOS could run or load it."""
    with file.open("rb") as content:
        return content.read(4) in MACH_O


def information() -> dict[str, object]:
    """What macOS reads of the application."""
    return {
        "CFBundleName": "Banksman",
        "CFBundleDisplayName": "Banksman",
        "CFBundleIdentifier": IDENTIFIER,
        "CFBundleVersion": version(),
        "CFBundleShortVersionString": version(),
        "CFBundleExecutable": "banksman",
        "CFBundleIconFile": "banksman.icns",
        "CFBundlePackageType": "APPL",
        "LSMinimumSystemVersion": OLDEST_MACOS,
        "NSHighResolutionCapable": True,
        "CFBundleURLTypes": [{"CFBundleURLName": "Banksman", "CFBundleURLSchemes": ["banksman"]}],
    }
