"""Themes as files: shipped ones in resources/themes, a person's own in `themes` beside the settings."""

import re
import tomllib
from dataclasses import fields
from functools import lru_cache
from pathlib import Path

from desktop.config.folders import product_folders, resource_folder
from desktop.language import tr
from desktop.records import dataclass
from desktop.ui.theme.contrast import unreadable
from desktop.ui.theme.tokens import Tokens

_COLOR = re.compile(r"#[0-9A-F]{6}")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_RESERVED = ("system", "light", "dark")
_MOST_BYTES = 16_384


@dataclass(frozen=True)
class ThemeFile:
    """One file. `tokens` None: it cannot be used; `problem` says why, in one sentence."""

    name: str
    label: str
    tokens: Tokens | None = None
    problem: str = ""


def own_folder() -> Path:
    """Where a person's own files are looked for."""
    return product_folders().config / "themes"


def theme_files(folders: tuple[Path, ...] = ()) -> list[ThemeFile]:
    """All files, shipped ones first, by their names; a person's own cannot stand in the place of a shipped one."""
    found: dict[str, ThemeFile] = {}
    for folder in folders or (resource_folder() / "themes", own_folder()):
        for file in sorted(folder.glob("*.toml")):
            if file.stem not in found:
                found[file.stem] = read_theme(file)
    return list(found.values())


@lru_cache(maxsize=8)
def tokens_of(name: str) -> Tokens | None:
    """The colours of that name; None where no file has them."""
    return next((one.tokens for one in theme_files() if one.name == name), None)


def read_theme(file: Path) -> ThemeFile:
    """The file as a theme. Each colour is written `#RRGGBB`, none is missing, and text can be read where it stands.
    Never raises."""
    name = file.stem
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise ValueError(tr("it is larger than 16 KiB"))
        read = tomllib.loads(file.read_text("utf-8"))
        return ThemeFile(name, str(read.get("label", name))[:40], _tokens(name, read.get("colors")))
    except (OSError, ValueError) as error:
        return ThemeFile(name, name, None, tr("{name} is not used: {error}.", name=file.name, error=error))


def _tokens(name: str, colors: object) -> Tokens:
    if _NAME.fullmatch(name) is None or name in _RESERVED:
        raise ValueError(tr("its name is to be of small letters, digits and hyphens, and none of system, light, dark"))
    wanted = [field.name for field in fields(Tokens) if field.name != "name"]
    given = {key: str(value).upper() for key, value in colors.items()} if isinstance(colors, dict) else {}
    if unknown := sorted(given.keys() - set(wanted)):
        raise ValueError(tr("there is no colour {name}", name=unknown[0]))
    if missing := [key for key in wanted if key not in given]:
        raise ValueError(tr("the colour {name} is missing", name=missing[0]))
    if wrong := [key for key in wanted if _COLOR.fullmatch(given[key]) is None]:
        raise ValueError(tr("{name} is no colour; write it as #1B1F24", name=wrong[0]))
    tokens = Tokens(name=name, **given)
    if pair := unreadable(tokens):
        raise ValueError(tr("{pair} cannot be read: the contrast is too low", pair=pair))
    return tokens
