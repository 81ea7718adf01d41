#!/usr/bin/env python3
"""Try the built form of Windows or macOS on a machine of its own: install, signature, self-test, demo, remove.

    python packaging/verify_program.py dist

Standard library only.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from installer.ground import UNSIGNED
from installer.signing import signtool

LIMIT_S = 600
INSTALLED = Path(os.environ.get("LOCALAPPDATA", "")) / "Programs" / "Banksman"


def main() -> int:
    """0 when the program that came out of the form works and leaves."""
    dist = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    with installed(dist) as program:
        for words in (["--version"], ["--selftest"], ["demo", "--auto"]):
            print(run(str(program), *words))
    print("the form holds")
    return 0


@contextmanager
def installed(dist: Path) -> Iterator[Path]:
    """The program as a person would have it, taken away afterwards."""
    if os.name == "nt":
        setup = form(dist, "*-setup.exe")
        run(str(setup), "/S")
        if UNSIGNED not in setup.name:
            for file in (setup, INSTALLED / "banksman.exe", INSTALLED / "uninstall.exe"):
                run(signtool(), "verify", "/pa", str(file))
        yield INSTALLED / "banksman.exe"
        run(str(INSTALLED / "uninstall.exe"), "/S", f"_?={INSTALLED}")
        left = [file for file in INSTALLED.rglob("*") if file.name != "uninstall.exe"] if INSTALLED.exists() else []
        if left:
            raise SystemExit(f"The removal leaves {left}.")
        return
    with tempfile.TemporaryDirectory() as folder:
        image = form(dist, "*.dmg")
        run("hdiutil", "attach", str(image), "-nobrowse", "-readonly", "-mountpoint", folder)
        try:
            app = Path(folder) / "Banksman.app"
            run("codesign", "--verify", "--deep", "--strict", str(app))
            if UNSIGNED not in image.name:
                run("spctl", "--assess", "--type", "execute", str(app))
                run("xcrun", "stapler", "validate", str(image))
            yield app / "Contents" / "MacOS" / "banksman"
        finally:
            run("hdiutil", "detach", folder)


def form(dist: Path, pattern: str) -> Path:
    """The one that was built; ends this program where there is none."""
    found = next(iter(sorted(dist.glob(pattern))), None)
    if found is None:
        raise SystemExit(f"There is no {pattern} in {dist}. Build it on this system; verify_deb.py is for Debian.")
    return found


def run(*command: str) -> str:
    """What a program prints; ends this one where it fails."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=LIMIT_S, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
