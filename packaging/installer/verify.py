"""A look at what was packed, before it is described: each form is opened again, holds the stage, and starts. More is
tried by `verify_deb.py`, `verify_program.py` and `verify_updates.py`, on machines of their own."""

import os
import subprocess
import tempfile
import zipfile
from pathlib import Path

from installer.describe import sha256_hex
from installer.ground import SYSTEM, WORK, Problem, run, version
from installer.stage import files

LIMIT_S = 300


def verify(made: list[Path], stage: Path) -> None:
    """Raises Problem: a form cannot be opened, holds other files than the stage, or does not start."""
    for form in made:
        with tempfile.TemporaryDirectory(dir=WORK) as folder:
            place = opened(form, Path(folder))
            if place is not None:
                same_files(form, place, stage)
                starts(form, place / program_name())
            elif form.suffix == ".AppImage":
                starts(form, form)
            elif form.suffix == ".dmg":
                starts(form, WORK / "image" / "Banksman.app" / "Contents" / "MacOS" / "banksman")


def opened(form: Path, place: Path) -> Path | None:
    """Where the program's folder lies in a form that was unpacked; None: it is not one to unpack."""
    if form.suffix == ".deb":
        run("dpkg-deb", "--extract", str(form), str(place), quiet=True)
        return place / "usr" / "lib" / "banksman"
    if form.name.endswith(".tar.zst"):
        run("tar", "--zstd", "-C", str(place), "-xf", str(form), quiet=True)
        return place / form.name.removesuffix(".tar.zst") / "usr" / "lib" / "banksman"
    if form.suffix == ".zip":
        with zipfile.ZipFile(form) as archive:
            archive.extractall(place)
        return place / form.name.removesuffix(".zip")
    return None


def same_files(form: Path, place: Path, stage: Path) -> None:
    """Raises Problem with the names of what differs."""
    first, second = ({one.relative_to(top).as_posix(): sha256_hex(one) for one in files(top)} for top in (stage, place))
    different = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    if different:
        raise Problem(f"{form.name} holds other files than the stage:\n  " + "\n  ".join(different))


def starts(form: Path, program: Path) -> None:
    """Raises Problem: it does not tell the version."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "APPIMAGE_EXTRACT_AND_RUN": "1"}
    environment = {key: value for key, value in environment.items() if key != "PYTHONPATH"}
    try:
        done = subprocess.run(
            [str(program), "--version"], env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except OSError as error:
        raise Problem(f"The program in {form.name} does not start: {error}") from error
    if done.returncode != 0 or version() not in done.stdout:
        raise Problem(f"The program in {form.name} ended with {done.returncode}: {done.stdout}{done.stderr}")


def program_name() -> str:
    """The program's file on this system."""
    return "banksman.exe" if SYSTEM == "windows" else "banksman"
