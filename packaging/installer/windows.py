"""The forms for Windows: a setup for one person, made with NSIS, and the same folder as a .zip."""

import zipfile
from pathlib import Path

from installer.ground import PACKAGING, WORK, name, run, version
from installer.icons import draw_icons
from installer.signing import Signer, signing_words
from installer.stage import files

SCRIPT = PACKAGING / "windows" / "banksman.nsi"


def pack(stage: Path, by: Signer, dist: Path) -> list[Path]:
    """Both forms. Where there is a certificate the program, its removal and the setup are signed."""
    if by.certificate:
        run(*signing_words(by), str(stage / "banksman.exe"), quiet=True)
    return [pack_setup(stage, by, dist), pack_zip(stage, by, dist)]


def pack_setup(stage: Path, by: Signer, dist: Path) -> Path:
    """The setup; its file name holds the version. Compiles on any system that has makensis."""
    target = dist / name("-setup.exe", signed=bool(by.by))
    icon = draw_icons(WORK / "icons") / "banksman.ico"
    defined = {"VERSION": version(), "STAGE": str(stage), "ICON": str(icon), "TARGET": str(target)}
    if by.certificate:
        program, *words = signing_words(by)
        defined["SIGN"] = f'"{program}" {" ".join(words)}'
    run("makensis", "-V2", "-WX", *(f"-D{key}={value}" for key, value in defined.items()), str(SCRIPT))
    return target


def pack_zip(stage: Path, by: Signer, dist: Path) -> Path:
    """The program's folder as a .zip."""
    target = dist / name(".zip", signed=bool(by.by))
    top = target.name.removesuffix(".zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in files(stage):
            entry = zipfile.ZipInfo(f"{top}/{file.relative_to(stage).as_posix()}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    return target
