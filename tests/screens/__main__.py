"""Takes a picture of every scene in every theme and size, and checks it.

python -m tests.screens [--out FOLDER] [--only SCENE …] [--theme THEME …] [--size WIDTHxHEIGHT] [--processes N]
                        [--language CODE]

Writes <theme>/<width>x<height>/<nn>-<scene>.png, index.html and manifest.json. Status 1 when a check fails.
"""

import argparse
import sys
import time
from pathlib import Path

from desktop.language import ENGLISH, LANGUAGES
from tests.screens.listing import write_listing
from tests.screens.photographers import PROCESSES, take_all
from tests.screens.scenes import SCENES
from tests.screens.taking import THEMES, names_of_themes


def main() -> int:
    """Take them; 0 if every picture passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.screens", description="Pictures of every scene.")
    parser.add_argument("--out", type=Path, default=Path("build/screens"))
    parser.add_argument("--only", nargs="+", default=[""], help="scenes whose name contains one of these")
    parser.add_argument("--theme", choices=names_of_themes(), action="append", help="(default: light and dark)")
    parser.add_argument("--size", default="", help="WIDTHxHEIGHT, but for scenes with sizes of their own")
    parser.add_argument("--processes", type=int, default=PROCESSES, help=f"(default: {PROCESSES})")
    parser.add_argument("--language", choices=LANGUAGES, default=ENGLISH, help=f"(default: {ENGLISH})")
    options = parser.parse_args()
    size = tuple(int(part) for part in options.size.split("x")) if options.size else None
    names = [scene.name for scene in SCENES if any(word in scene.name for word in options.only)]
    began = time.monotonic()
    taken, problems = take_all(
        options.out.absolute(), names, tuple(options.theme or THEMES), size, options.processes, options.language
    )
    write_listing(options.out, taken)
    for problem in problems:
        print(problem)
    print(f"{len(taken)} pictures in {options.out}, {len(problems)} problems, {time.monotonic() - began:.0f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
