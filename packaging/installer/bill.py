"""What is in the program: a CycloneDX bill of its packages and native libraries, and every licence as a page."""

import fnmatch
import html
import json
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

from installer.freeze import ENVIRONMENT, PINS
from installer.ground import PACKAGING, ROOT, WORK, Problem, environment_python, out, reproducible, run, version
from installer.stage import files

BILL, NOTICES = "banksman.cdx.json", "NOTICES.html"
PLACE = Path("_internal") / "resources" / "notices"
NOT_SHIPPED = {"pip", "setuptools", "altgraph", "packaging", "pyinstaller-hooks-contrib"}
NATIVE = ("*.so", "*.so.*", "*.dll", "*.pyd", "*.dylib", "*.ttf", "*.svg")
_WORDS = re.compile(r"\s+(?:AND|OR|WITH)\s+|[()]")
_TEXTS = """
import json
from importlib.metadata import distributions
def is_text(name):
    name = name.lower()
    return name.startswith(("license", "licence", "copying", "notice")) and not name.endswith((".py", ".pyc"))
def texts(one):
    return [file.read_text() for file in one.files or () if is_text(file.name) and ".dist-info" in str(file)]
print(json.dumps({one.name: texts(one) for one in distributions()}))
"""


def write_bill(stage: Path) -> list[dict[str, Any]]:
    """Put the bill and the notices into the stage; the components, in the order of their names.

    Raises:
        Problem: a file belongs to no component, a licence is not among the allowed ones, or its text is missing.
    """
    rules = tomllib.loads((PACKAGING / "installer" / "components.toml").read_text("utf-8"))
    bill = python_bill()
    bill["components"] = [one for one in bill["components"] if one["name"].lower() not in NOT_SHIPPED]
    bill["components"] += native_components(stage, rules["native"])
    bill["components"].sort(key=lambda one: (one["name"].lower(), one["version"]))
    bill["metadata"]["component"] = {"type": "application", "name": "banksman", "version": version()}
    bill.pop("dependencies", None)
    refused = [
        f"{one['name']} {one['version']}: {licence_words(one) or 'no licence'}"
        for one in bill["components"]
        if not is_allowed(one, rules)
    ]
    if refused:
        raise Problem("These licences are not among the allowed ones:\n  " + "\n  ".join(refused))
    place = stage / PLACE
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    place.joinpath(NOTICES).write_text(notices(bill["components"], rules), "utf-8")
    place.joinpath(BILL).write_text(json.dumps(bill, indent=1, sort_keys=True) + "\n", "utf-8")
    return list(bill["components"])


def python_bill() -> dict[str, Any]:
    """The packages of the very environment that the program was frozen in."""
    python = environment_python(ENVIRONMENT, *PINS)
    tool = environment_python("bill", "requirements-bill.txt")
    file = WORK / "python.cdx.json"
    words = ["-m", "cyclonedx_py", "environment", "--spec-version", "1.6", "--output-reproducible", "-o", str(file)]
    run(str(tool), *words, str(python), environment=reproducible(), quiet=True)
    read: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return read


def native_components(stage: Path, rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is no Python package: libraries, fonts and icons, each by the first pattern that fits its path."""
    found: dict[str, dict[str, Any]] = {}
    lost = []
    for file in files(stage):
        name = file.relative_to(stage).as_posix()
        if not any(fnmatch.fnmatch(name, one) for one in NATIVE):
            continue
        rule = next((one for one in rules if any(fnmatch.fnmatch(name, part) for part in one["files"])), None)
        if rule is None:
            lost.append(name)
        elif rule["name"] != "" and rule["name"] not in found:
            found[rule["name"]] = {
                "type": "library", "name": rule["name"], "version": native_version(rule, name), "bom-ref": rule["name"],
                "licenses": [{"expression": rule["licence"]}],
            }  # fmt: skip
    if lost:
        raise Problem("These belong to no component; name one in installer/components.toml:\n  " + "\n  ".join(lost))
    return list(found.values())


def native_version(rule: dict[str, Any], name: str) -> str:
    """From where the rule says: a package of the freeze, of Debian, the file's own name, or written there."""
    kind, _, value = rule["version"].partition(":")
    python = str(environment_python(ENVIRONMENT, *PINS))
    match kind:
        case "package":
            return out(python, "-c", f"from importlib.metadata import version; print(version({value!r}))")
        case "python":
            return out(python, "-c", "import platform; print(platform.python_version())")
        case "module":
            module, _, expression = value.partition(":")
            return out(python, "-c", f"import {module}; print({module}.{expression})")
        case "name":
            found = re.search(value, name)
            return found[1] if found else "unknown"
        case _:
            return str(rule["version"])


def licence_words(component: dict[str, Any]) -> str:
    """The licences of a component as one expression; "" when it names none."""
    words = []
    for one in component.get("licenses", []):
        licence = one.get("license", {})
        text = one.get("expression") or licence.get("id") or licence.get("name", "")
        if text and not text.startswith("declared license"):
            words.append(text)
    return " AND ".join(dict.fromkeys(words))


def is_allowed(component: dict[str, Any], rules: dict[str, Any]) -> bool:
    """Whether it may be shipped under one of its licences. An exception of the table names the component and why."""
    if component["name"] in rules["exceptions"]:
        return True
    allowed = set(rules["allowed"])
    return any(
        bool(parts := [part for part in _WORDS.split(choice) if part.strip()])
        and all(part.strip() in allowed for part in parts)
        for choice in licence_words(component).split(" OR ")
    )


def notices(components: list[dict[str, Any]], rules: dict[str, Any]) -> str:
    """The page: each component with its version, its licence and the whole text."""
    own: dict[str, list[str]] = json.loads(out(str(environment_python(ENVIRONMENT, *PINS)), "-c", _TEXTS))
    parts = []
    for one in components:
        texts = texts_of(one, rules, own)
        if not texts:
            raise Problem(f"{one['name']} {one['version']} brings no text of its licence; name one in components.toml.")
        body = "".join(f"<pre>{html.escape(text)}</pre>" for text in texts)
        title = f"{one['name']} {one['version']}"
        parts.append(f"<h2>{html.escape(title)}</h2><p>{html.escape(licence_words(one))}</p>{body}")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Banksman: notices</title>'
        f"<h1>Banksman {version()} is made with these</h1>{''.join(parts)}</html>\n"
    )


def texts_of(component: dict[str, Any], rules: dict[str, Any], own: dict[str, list[str]]) -> list[str]:
    """The texts that the component's own package brings, else those that the table names for it or for its licence."""
    named = rules["texts"].get(component["name"]) or [
        file for licence, file in rules["licence_texts"].items() if licence in licence_words(component)
    ]
    texts = own.get(component["name"]) or [(ROOT / file).read_text("utf-8", "replace") for file in named]
    return list(dict.fromkeys(texts))
