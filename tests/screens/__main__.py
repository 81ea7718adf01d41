"""Takes a picture of every scene in every theme and size, and checks it.

python -m tests.screens [--out FOLDER] [--only SCENE …] [--theme THEME] [--size WIDTHxHEIGHT]

Writes <theme>/<width>x<height>/<nn>-<scene>.png, index.html and manifest.json. Status 1 when a check fails.
"""

import argparse
import json
import logging
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import qasync
from PySide6.QtWidgets import QApplication

from tests.screens.listing import write_listing
from tests.screens.scene import Scene
from tests.screens.scenes import SCENES
from tests.screens.taking import THEMES, Taking, dress, prepare

SCREEN = {
    "windowFrameMargins": False,
    "screens": [{"name": "screen", "x": 0, "y": 0, "width": 1920, "height": 1200, "logicalDpi": 96, "dpr": 1}],
}


def main() -> int:
    """Take them; 0 if every picture passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.screens", description="Pictures of every scene.")
    parser.add_argument("--out", type=Path, default=Path("build/screens"))
    parser.add_argument("--only", nargs="+", default=[""], help="scenes whose name contains one of these")
    parser.add_argument("--theme", choices=THEMES, action="append", help="(default: both)")
    parser.add_argument("--size", default="", help="WIDTHxHEIGHT (default: those of each scene)")
    options = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    scenes = [scene for scene in SCENES if any(word in scene.name for word in options.only)]
    if options.size:
        width, height = (int(part) for part in options.size.split("x"))
        scenes = [replace(scene, sizes=((width, height),)) for scene in scenes]
    with tempfile.TemporaryDirectory(prefix="banksman-screens-") as folder:
        home = Path(folder) / "robin"
        home.mkdir()
        prepare(home)
        (Path(folder) / "screen.json").write_text(json.dumps(SCREEN))
        os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={folder}/screen.json"
        time.tzset()
        taking = _take_all(options.out.absolute(), home, scenes, tuple(options.theme or THEMES))
    write_listing(options.out, taking.taken)
    for problem in taking.problems:
        print(problem)
    print(f"{len(taking.taken)} pictures in {options.out}, {len(taking.problems)} problems")
    return 1 if taking.problems else 0


def _take_all(out: Path, home: Path, scenes: list[Scene], themes: tuple[str, ...]) -> Taking:
    app = QApplication(sys.argv[:1])
    dress(app)
    taking = Taking(out, home, themes)
    loop = qasync.QEventLoop(app)

    async def run() -> None:
        for scene in scenes:
            began = time.monotonic()
            await taking.take(app, scene)
            print(f"{scene.name}: {time.monotonic() - began:.1f} s", flush=True)

    with loop:
        loop.run_until_complete(run())
    return taking


if __name__ == "__main__":
    sys.exit(main())
