"""Requests and answers against GitHub's published description, as cut down in `schema/rest.json`.

Checked by jsonschema-rs: a pull request (15 kB, two repositories inside) takes it 0.04 ms, jsonschema 5 ms and
openapi-core 7 ms. openapi-core also leaves undescribed fields of answers alone, which would let a misspelt one pass.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

from tests.fakes.github.wire import Answer, Exchange, Request

SCHEMA = Path(__file__).parent / "schema/rest.json"


@cache
def description() -> dict[str, Any]:
    """Operations and definitions, see `update_schema`."""
    loaded: dict[str, Any] = json.loads(SCHEMA.read_text())
    return loaded


def documentation(method: str, route: str) -> str:
    """The page that describes this route."""
    page: str = description()["operations"][f"{method} {route}"]["documentation"]
    return page


def wrong_request(request: Request, route: str, params: Mapping[str, str]) -> list[str]:
    """In which way the request departs from the description; [] if in none."""
    operation = description()["operations"][f"{request.method} {route}"]
    found = _wrong_parameters("path", params, operation["path_parameters"])
    found += _wrong_parameters("query", request.query, operation["query_parameters"])
    found += [f"query: {name} is missing" for name in operation["query_required"] if name not in request.query]
    if not request.raw:
        return [*found, "body: it is missing"] if operation["body_required"] else found
    if operation["body"] is None:
        return [*found, "body: this route takes none"]
    return found + _errors("body", (request.method, route, "body"), request.body)


def wrong_answer(method: str, route: str, answer: Answer) -> list[str]:
    """In which way an answer of ours departs from the description; [] if in none."""
    answers = description()["operations"][f"{method} {route}"]["answers"]
    code = str(answer.status)
    if code not in answers and answer.status < 400:
        return [] if answer.status in {301, 302, 304, 307} else [f"answer: status {code} is not described"]
    if answer.status >= 400:
        return _wrong_error(answer)
    if answers[code] is None:
        return ["answer: it should have no body"] if answer.payload() and answer.status != 302 else []
    return _errors("answer", (method, route, code), answer.body)


def _wrong_error(answer: Answer) -> list[str]:
    """Error bodies have one of three shapes, on all routes."""
    errors = answer.body.get("errors") if isinstance(answer.body, dict) else None
    if answer.body is None:
        return []  # a page of the machine in front
    simple = isinstance(errors, list) and all(isinstance(error, str) for error in errors)
    name = "basic-error" if errors is None else "validation-error-simple" if simple else "validation-error"
    return _errors("error", ("", "", name), answer.body)


def _wrong_parameters(place: str, given: Mapping[str, str], described: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    for name, text in given.items():
        if name not in described:
            found.append(f"{place}: {name} is not a parameter of this route")
            continue
        schema = described[name]
        try:
            value = json.loads(text) if schema.get("type") in {"integer", "boolean"} else text
        except ValueError:
            value = text
        errors = Draft202012Validator(schema).iter_errors(value)
        found += [f"{place}: {name}: {error.message}" for error in errors]
    return found


@cache
def _validator(key: tuple[str, str, str]) -> Draft202012Validator:
    method, route, part = key
    whole = description()
    if not route:
        schema: dict[str, Any] = {"$ref": f"#/$defs/{part}"}
    else:
        operation = whole["operations"][f"{method} {route}"]
        schema = operation["body"] if part == "body" else operation["answers"][part]
    return Draft202012Validator({**schema, "$defs": whole["$defs"]}, validate_formats=True)


def _errors(place: str, key: tuple[str, str, str], value: Any) -> list[str]:
    return [
        f"{place}: {'/'.join(str(part) for part in error.instance_path) or 'it'}: {error.message[:300]}"
        for error in _validator(key).iter_errors(value)
    ]


def told(exchange: Exchange, found: list[str]) -> list[str]:
    """Those departures with the request they belong to."""
    return [f"{exchange.request.method} {exchange.request.path} -> {exchange.status}: {each}" for each in found]
