"""The form for macOS: an application bundle in a disk image."""

import plistlib
import shutil
from pathlib import Path

from installer.ground import WORK, environment_python, name, run, version
from installer.icons import draw_icons

IDENTIFIER = "banksman.Banksman"
OLDEST_MACOS = "13.0"


def pack_dmg(stage: Path, dist: Path) -> Path:
    """The disk image; its file. Needs macOS."""
    place = WORK / "image"
    shutil.rmtree(place, ignore_errors=True)
    bundle(stage, place / "Banksman.app")
    run("codesign", "--force", "--deep", "--sign", "-", str(place / "Banksman.app"))
    target = dist / name(".dmg")
    python = environment_python("image", "requirements-image.txt")
    settings = Path(__file__).resolve().parents[1] / "macos" / "image.py"
    words = ["-s", str(settings), "-D", f"app={place / 'Banksman.app'}", f"Banksman {version()}", str(target)]
    run(str(python), "-m", "dmgbuild", *words)
    return target


def bundle(stage: Path, app: Path) -> None:
    """The program's folder as an application, with its icon and the links that it opens."""
    contents = app / "Contents"
    shutil.copytree(stage, contents / "MacOS", symlinks=True)
    contents.joinpath("Resources").mkdir()
    shutil.copyfile(draw_icons(WORK / "icons") / "banksman.icns", contents / "Resources" / "banksman.icns")
    contents.joinpath("Info.plist").write_bytes(plistlib.dumps(information()))


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
