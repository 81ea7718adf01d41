#!/usr/bin/env python3
"""Hold what winget, Homebrew and Flatpak are told against their own schemas.

    .venv/bin/python packaging/verify_stores.py release [--schemas DIR]

The schemas are those of winget-cli and flatpak-builder at pinned commits, got once into DIR (build/schemas) and held
against their SHA-256. The cask is read by Ruby where there is one, and Flatpak's file by flatpak-builder. Needs the
packages jsonschema and PyYAML.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

WINGET = "https://raw.githubusercontent.com/microsoft/winget-cli/fa3d9e511d1bd9bed2f1b72e9f0fa25323e7f3eb/schemas/JSON/manifests/v1.6.0"
FLATPAK = "https://raw.githubusercontent.com/flatpak/flatpak-builder/b260e7124a0d4cda24d29d528484706ed2dcd1d5/data"
SCHEMAS = {
    "Banksman.Banksman.installer.yaml": (
        f"{WINGET}/manifest.installer.1.6.0.json", "9d96343f8094fee12a767265eacc0a332b0dcfa1aa6431460130da760ae007b3",
    ),
    "Banksman.Banksman.locale.en-US.yaml": (
        f"{WINGET}/manifest.defaultLocale.1.6.0.json",
        "e2c405a3de4074579289b5bd229097e8f1f2c01bd87127b0163d341fb384aa96",
    ),
    "Banksman.Banksman.yaml": (
        f"{WINGET}/manifest.version.1.6.0.json", "4747c3d5daf7e5844b7f319548b834db55ecc80d5b9760bd2fc0d462e9f1e295",
    ),
    "app.banksman.Banksman.yml": (
        f"{FLATPAK}/flatpak-manifest.schema.json", "0b0681a416721c039b7d89e46bd71a4c4a78c4007e3def01ed8b7b093ed5d533",
    ),
}  # fmt: skip
"""By the name of a text: where its schema lies, and its SHA-256."""
READERS = {"banksman.rb": ["ruby", "-c"], "app.banksman.Banksman.yml": ["flatpak-builder", "--show-manifest"]}
LIMIT_S = 60


class Failed(Exception):
    """What does not hold, in one sentence."""


def main(argv: list[str] | None = None) -> int:
    """0 when every text that is there holds, and one is."""
    parser = argparse.ArgumentParser(description="Hold the texts for stores against their schemas.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--schemas", type=Path, default=Path("build", "schemas"), help="where the schemas are kept")
    given = parser.parse_args(argv)
    there = sorted(name for name in {*SCHEMAS, *READERS} if given.folder.joinpath(name).is_file())
    try:
        if not there:
            raise Failed(f"There is no text for a store in {given.folder}.")
        for name in there:
            if name in SCHEMAS:
                hold(given.folder / name, schema(name, given.schemas))
            if name in READERS:
                read(given.folder / name)
    except Failed as failure:
        print(f"verify_stores: {failure}", file=sys.stderr)
        return 1
    return 0


def schema(name: str, place: Path) -> dict[str, object]:
    """The schema of a text, got where it is not kept yet. Raises Failed: it is another one."""
    address, sha256_hex = SCHEMAS[name]
    file = place / address.rpartition("/")[2]
    if not file.is_file():
        place.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(address, timeout=LIMIT_S) as answer:  # one of the addresses above
            file.write_bytes(answer.read())
    content = file.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256_hex:
        raise Failed(f"{file} is not the schema that is pinned.")
    found: dict[str, object] = json.loads(content)
    return found


def hold(file: Path, against: dict[str, object]) -> None:
    """Raises Failed with each place of the text that its schema refuses."""
    checker = validator_for(against, default=Draft202012Validator)(against)
    wrong = [f"{one.json_path}: {one.message}" for one in checker.iter_errors(yaml.safe_load(file.read_text("utf-8")))]
    if wrong:
        raise Failed(f"{file.name} does not hold: {'; '.join(wrong)}")
    print(f"{file.name} holds")


def read(file: Path) -> None:
    """Raises Failed: the program that the text is for cannot read it. Says so where there is none here."""
    words = READERS[file.name]
    if shutil.which(words[0]) is None:
        print(f"{file.name} is not read: there is no {words[0]} here")
        return
    done = subprocess.run([*words, str(file)], capture_output=True, text=True, timeout=LIMIT_S, check=False)
    if done.returncode != 0:
        raise Failed(f"{words[0]} cannot read {file.name}: {done.stdout}{done.stderr}")
    print(f"{file.name} is read by {words[0]}")


if __name__ == "__main__":
    sys.exit(main())
