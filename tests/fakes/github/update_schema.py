"""Write `schema/rest.json` and `schema/graphql.graphql` again from the packages in which GitHub's descriptions are
published: @octokit/openapi and @octokit/graphql-schema (both MIT, see `schema/LICENSES.md`). Needs npm.

`python -m tests.fakes.github.update_schema [--folder FOLDER]` (FOLDER: keep and reuse the downloaded packages there)

The REST description is cut down to the routes of the stand-in and turned into JSON Schema 2020-12 in which every object
with named properties is closed: a misspelt field is an error, in requests and in answers. The GraphQL schema is cut
down to the types in `GRAPHQL_TYPES`; a field whose type is gone, goes.
"""

import argparse
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from tests.fakes.github.graphql_trim import trimmed
from tests.fakes.github.routes import ROUTES

PACKAGES = {"openapi": "@octokit/openapi@23.0.2", "graphql-schema": "@octokit/graphql-schema@15.26.1"}
SCHEMA = Path(__file__).parent / "schema"
METHODS = ("get", "post", "put", "patch", "delete")

# What GitHub answers though its description does not say so; each with where it is documented.
# https://docs.github.com/rest/guides/using-the-rest-api-to-interact-with-checks#about-check-suites
MORE_CONCLUSIONS = ("stale", "startup_failure")
# Every error body carries its status, also that of a validation: seen at https://api.github.com
ERROR_STATUS = {"type": "string"}


def main() -> None:
    """Fetch the packages unless they are in the folder, and write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path)
    folder = parser.parse_args().folder or Path(tempfile.mkdtemp(prefix="github-schema-"))
    rest = json.loads(_member(folder, "openapi", "package/generated/api.github.com.json"))
    (SCHEMA / "rest.json").write_text(_lines(rest_description(rest)))
    graphql = _member(folder, "graphql-schema", "package/schema.graphql").decode()
    (SCHEMA / "graphql.graphql").write_text(f"# From {PACKAGES['graphql-schema']}\n{trimmed(graphql)}")


def rest_description(source: dict[str, Any]) -> dict[str, Any]:
    """`operations`: "GET /path" to its parameters, body and answers as schemas; `$defs`: what they refer to."""
    operations = {f"{method} {path}": _operation(source, method, path) for method, path in sorted(ROUTES)}
    names: set[str] = {"basic-error", "validation-error", "validation-error-simple"}
    definitions: dict[str, Any] = {}
    _refer(operations, names)
    while missing := sorted(names - definitions.keys()):
        for name in missing:
            definitions[name] = _schema(source["components"]["schemas"][name])
            _refer(definitions[name], names)
    for name in ("check-run", "job"):
        if name in definitions:
            definitions[name]["properties"]["conclusion"]["enum"] += MORE_CONCLUSIONS
    for node in definitions.values():
        node |= {"oneOf": [_joined(part, definitions) for part in node["oneOf"]]} if "oneOf" in node else {}
    for name in ("validation-error", "validation-error-simple"):
        definitions[name]["properties"]["status"] = ERROR_STATUS
    return {"packages": PACKAGES, "operations": operations, "$defs": dict(sorted(definitions.items()))}


def _joined(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """`allOf` of closed objects, which nothing would fit, as one closed object."""
    parts = [definitions[part["$ref"].rpartition("/")[2]] for part in node.get("allOf", ()) if "$ref" in part]
    if len(parts) != len(node.get("allOf", ())) or not all("properties" in part for part in parts):
        return node
    properties = {name: value for part in parts for name, value in part["properties"].items()}
    required = [name for part in parts for name in part.get("required", ())]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _operation(source: dict[str, Any], method: str, path: str) -> dict[str, Any]:
    described = source["paths"][path][method.lower()]
    parameters: dict[str, dict[str, Any]] = {"path": {}, "query": {}}
    required: list[str] = []
    for entry in described.get("parameters", []):
        parameter = _resolved(source, entry)
        parameters[parameter["in"]][parameter["name"]] = _schema(parameter["schema"])
        required += [parameter["name"]] if parameter["in"] == "query" and parameter.get("required") else []
    answers = {code: _content(source, answer) for code, answer in described["responses"].items()}
    body = described.get("requestBody")
    return {
        **{f"{place}_parameters": fields for place, fields in parameters.items()},
        "query_required": required,
        "body": _content(source, body) if body else None,
        "body_required": bool(body and body.get("required")),
        "answers": answers,
        "documentation": described.get("externalDocs", {}).get("url", "https://docs.github.com/rest"),
    }


def _content(source: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of its JSON, None where it has no body."""
    content = _resolved(source, entry).get("content", {})
    json_content = content.get("application/json")
    return _schema(json_content["schema"]) if json_content else None


def _resolved(source: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in entry:
        found: Any = source
        for part in entry["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        entry = found
    return entry


KEPT = ("type", "enum", "format", "required", "items", "properties", "additionalProperties", "oneOf", "anyOf", "allOf",
        "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern", "$ref")  # fmt: skip


def _schema(node: Any) -> Any:
    """An OpenAPI 3.0 schema as JSON Schema: closed, without prose, `nullable` written as a type."""
    if "$ref" in node:
        return {"$ref": node["$ref"].replace("#/components/schemas/", "#/$defs/")}
    kept = {key: node[key] for key in KEPT if key in node}
    for key in ("oneOf", "anyOf", "allOf"):
        if key in kept:
            kept[key] = [_schema(part) for part in kept[key]]
    if "items" in kept:
        kept["items"] = _schema(kept["items"])
    if isinstance(kept.get("additionalProperties"), dict):
        kept["additionalProperties"] = _schema(kept["additionalProperties"])
    if "properties" in kept:
        kept["properties"] = {name: _schema(part) for name, part in kept["properties"].items()}
        kept.setdefault("additionalProperties", False)
    return _nullable(kept) if node.get("nullable") else kept


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    if "type" in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _refer(node: Any, names: set[str]) -> None:
    if isinstance(node, dict):
        reference = node.get("$ref")
        if isinstance(reference, str):
            names.add(reference.removeprefix("#/$defs/"))
        for part in node.values():
            _refer(part, names)
    elif isinstance(node, list):
        for part in node:
            _refer(part, names)


def _member(folder: Path, name: str, member: str) -> bytes:
    """That file of the package, which is fetched if the folder lacks it."""
    found = sorted(folder.glob(f"octokit-{name}-*.tgz"))
    if not found:
        subprocess.run(["npm", "pack", "--silent", PACKAGES[name]], cwd=folder, check=True)
        found = sorted(folder.glob(f"octokit-{name}-*.tgz"))
    with tarfile.open(found[-1]) as package:
        file = package.extractfile(member)
        assert file is not None
        return file.read()


def _lines(described: dict[str, Any]) -> str:
    """JSON with one line for each operation and each definition: small, and a change can be read."""
    parts = [f'"packages": {json.dumps(described["packages"])}']
    for section in ("operations", "$defs"):
        lines = [
            f"{json.dumps(name)}: {json.dumps(part, separators=(',', ':'))}"
            for name, part in described[section].items()
        ]
        parts.append(f"{json.dumps(section)}: {{\n" + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main()
