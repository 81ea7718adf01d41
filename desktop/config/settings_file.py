"""The settings file: read into Settings, written back with its comments and with what this version does not know."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from desktop.config.databases import DatabaseConnection
from desktop.config.private_files import write_durably
from desktop.config.settings import Appearance, Endpoint, GitHubHost, Settings
from desktop.domain.chats.queue_events import Limits
from desktop.domain.core.errors import SettingsError
from desktop.domain.memory.values import OwnWords
from desktop.language import ENGLISH, LANGUAGES
from desktop.late import late

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import Table

_NESTED: dict[str, type[BaseModel]] = {
    "endpoints": Endpoint,
    "appearance": Appearance,
    "databases": DatabaseConnection,
    "limits": Limits,
    "github": GitHubHost,
    "memory_words": OwnWords,
}
_ROWS = {
    "endpoints": ("id", "label", "kind"),
    "databases": ("name", "dialect"),
    "github": ("host",),
    "memory_words": ("project",),
}
"""What is always written of a row; the first names it."""


def load_settings(path: Path, addresses: Mapping[str, str] | None = None) -> Settings:
    """The settings in the file, the defaults if there is no file. Unknown keys are passed over. `addresses`: the kinds
    of model services that there are, each with the address of endpoints that name none, "" where each has to name one;
    None where the caller asks for no kind.

    Raises:
        SettingsError: the file cannot be read or holds a wrong value; names file, line, field and what to do.
    """
    text = _read(path)
    if text is None:
        return Settings()
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}. Correct or remove that line.") from error
    try:
        context = {"addresses": addresses} if addresses is not None else None
        return Settings.model_validate(_usable_limits(_known(raw, Settings))[0], context=context)
    except ValidationError as error:
        raise SettingsError(_explain(path, text, error)) from error


def load_lanes_root(path: Path) -> str:
    """The folder of lanes that the file names, "" where it names none. Nothing else in the file is looked at.

    Raises:
        SettingsError: the file cannot be read, or that value is wrong.
    """
    text = _read(path) or ""
    try:
        raw = tomllib.loads(text)
        return Settings.model_validate({key: raw[key] for key in ("lanes_root",) if key in raw}).lanes_root
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}. Correct or remove that line.") from error
    except ValidationError as error:
        raise SettingsError(_explain(path, text, error)) from error


def load_language(path: Path, desktop: Sequence[str]) -> str:
    """The code of the language that the file names, or that of the desktop: the first of its languages ("de-AT") that
    there is. English where neither can be read; what is wrong with the file is said when all of it is read."""
    try:
        named = tomllib.loads(_read(path) or "").get("appearance", {}).get("language", "system")
    except (SettingsError, tomllib.TOMLDecodeError, AttributeError):
        return ENGLISH
    wanted = [one.replace("_", "-").partition("-")[0] for one in desktop] if named == "system" else [named]
    return next((one for one in wanted if one in LANGUAGES), ENGLISH)


def limit_problems(path: Path) -> tuple[str, ...]:
    """A sentence for each limit in the file that cannot be used; its default counts in its place (sessions-SK6).

    Raises:
        SettingsError: as `load_settings`.
    """
    text = _read(path)
    return _usable_limits(tomllib.loads(text))[1] if text is not None else ()


def save_settings(path: Path, settings: Settings) -> None:
    """Write the settings: all or nothing, readable by this user only. Values equal to the default are not added.

    Raises:
        SettingsError: the file there is not valid TOML (it is not overwritten), or cannot be written.
    """
    text = _read(path) or ""
    try:
        document = late("tomlkit").parse(text)
    except late("tomlkit").exceptions.TOMLKitError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}. Correct it first; nothing was saved.") from error
    _merge(document, settings)
    written = str(late("tomlkit").dumps(document))
    if Settings.model_validate(_known(tomllib.loads(written), Settings)) != settings:
        raise SettingsError(f"The settings cannot be merged into {path}. Move the file away, then save again.")
    try:
        _replace(path, written)
    except OSError as error:
        raise SettingsError(f"Could not save {path}: {error.strerror}. Nothing was changed.") from error


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8 or remove it.") from error
    except OSError as error:
        raise SettingsError(f"Could not read {path}: {error.strerror}. Check the file and its rights.") from error


def _known(raw: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    known = {key: value for key, value in raw.items() if key in model.model_fields}
    for key, inner in _NESTED.items():
        value = known.get(key)
        if isinstance(value, dict):
            known[key] = _known(value, inner)
        elif isinstance(value, list):
            known[key] = [_known(item, inner) if isinstance(item, dict) else item for item in value]
    return known


def _usable_limits(raw: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The same values without limits that cannot be used, and what is wrong with those."""
    given = raw.get("limits", {})
    if not isinstance(given, dict):
        return {**raw, "limits": {}}, (f"limits = {given!r} in the settings is no table, so the defaults count.",)
    kept: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in given.items():
        if name not in Limits.model_fields:
            continue
        try:
            Settings.model_validate({"limits": {name: value}}, strict=True)
            kept[name] = value
        except ValidationError:
            default = Limits().model_dump()[name]
            counts = f"the default {default} counts" if default else "there is no such limit"
            problems.append(f"limits.{name} = {value!r} in the settings cannot be used, so {counts}.")
    return {**raw, **({"limits": kept} if "limits" in raw else {})}, tuple(problems)


def _explain(path: Path, text: str, error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    places = [part for part in first["loc"] if part not in ("function-after", "function-before")]
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in places).lstrip(".")
    name = next((part for part in reversed(places) if isinstance(part, str)), "")
    lines = [
        number
        for number, line in enumerate(text.splitlines(), 1)
        if name and re.match(rf"\s*(\[+\s*)?{re.escape(name)}\b", line)
    ]
    where = f"{path}, line {lines[0]}" if len(lines) == 1 else str(path)
    return f"{where}: {field or 'settings'}: {first['msg']}. Correct the value or remove the line to get the default."


def _merge(document: "TOMLDocument", settings: Settings) -> None:
    values, defaults = settings.model_dump(mode="json"), Settings().model_dump(mode="json")
    for key, value in values.items():
        if key not in document and value == defaults[key]:
            continue
        if key in _ROWS:
            _merge_rows(document, key, value)
        elif isinstance(value, dict):
            _merge_table(document, key, value, defaults[key])
        elif key not in document or document[key] != value:
            document[key] = value


def _merge_table(document: "TOMLDocument", key: str, value: dict[str, Any], defaults: dict[str, Any]) -> None:
    if not isinstance(document.get(key), dict):
        document[key] = late("tomlkit").table()
    table: Any = document[key]
    for name, item in value.items():
        if name in table and table[name] == item:
            continue
        if name in table or item != defaults.get(name):
            table[name] = item


def _merge_rows(document: "TOMLDocument", key: str, values: list[dict[str, Any]]) -> None:
    found, always = document.get(key), _ROWS[key]
    old: dict[str, Table] = {}
    if isinstance(found, late("tomlkit").items.AoT):
        old = {str(table.get(always[0])): table for table in found.body}
        if [table.unwrap() for table in found.body] == values:
            return
    elif found is not None:
        del document[key]
    fields = _NESTED[key].model_fields
    rows = late("tomlkit").aot()
    for value in values:
        table = old.get(value[always[0]], late("tomlkit").table())
        for name, item in value.items():
            if name in table and table[name] == item:
                continue
            if name in table or name in always or item != _plain(fields[name].default):
                table[name] = item
        rows.append(table)
    document[key] = rows if values else []


def _plain(value: Any) -> Any:
    """A default as it is written."""
    return list(value) if isinstance(value, tuple) else value


def _replace(path: Path, text: str) -> None:
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_durably(target, text.encode("utf-8"))
