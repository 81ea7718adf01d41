"""The schema of the Agent Client Protocol, a second opinion on messages of ours and of scripted programs."""

import json
from functools import cache
from pathlib import Path
from typing import Literal

from jsonschema import Draft202012Validator
from pydantic import JsonValue

FOLDER = Path(__file__).parent / "acp"
Part = Literal["Request", "Response", "Notification"]


@cache
def _definitions(*files: str) -> dict[str, dict[str, JsonValue]]:
    """Those of later files in place of earlier ones."""
    found: dict[str, dict[str, JsonValue]] = {}
    for name in files:
        found |= json.loads((FOLDER / name).read_text("utf-8"))["$defs"]
    return found


def problems(method: str, part: Part, value: JsonValue, *, plans: bool = False) -> list[str]:
    """What is wrong with the parameters of a request or notification, or with the result of a request. `plans`: by the
    protocol with its unstable part about plans."""
    definitions = _definitions("schema.json", *(("plans.json",) if plans else ()))
    names = [name for name, one in definitions.items() if one.get("x-method") == method and name.endswith(part)]
    if len(names) != 1:
        return [f"{method} has no {part.lower()}"]
    schema = {"$ref": f"#/$defs/{names[0]}", "$defs": definitions}
    return [f"{one.json_path}: {one.message}" for one in Draft202012Validator(schema).iter_errors(value)]
