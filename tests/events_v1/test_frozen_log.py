"""The log of version 1 loads for ever. Lines of log.jsonl are never changed; a new type adds a line."""

import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from desktop.domain.event_json import EVENT_TYPES, dump_event, load_event
from desktop.domain.events import UnknownEvent

BODIES = (Path(__file__).parent / "log.jsonl").read_text(encoding="ascii").splitlines()


@pytest.mark.parametrize("body", BODIES, ids=[f"{n}-{json.loads(body)['type']}" for n, body in enumerate(BODIES)])
def test_a_body_of_version_1_loads_with_everything_it_says(body):
    frozen = json.loads(body)
    event = load_event(body)
    assert not isinstance(event, UnknownEvent)
    assert event.type == frozen["type"]
    assert event.unknown_fields == {}
    written = json.loads(dump_event(event, frozen["id"], frozen["parent"]))
    assert contains(written, frozen)


def test_every_type_of_event_is_in_the_log():
    missing = set(EVENT_TYPES) - {json.loads(body)["type"] for body in BODIES}
    assert not missing, f"add a line to tests/events_v1/log.jsonl for {sorted(missing)}"


@pytest.mark.parametrize("body", BODIES[:3])
def test_a_later_versions_extra_field_is_kept_and_written_back(body):
    later = {**json.loads(body), "invented_later": {"a": [1]}}
    event = load_event(json.dumps(later))
    assert event.unknown_fields == {"invented_later": {"a": [1]}}
    assert json.loads(dump_event(event, later["id"], later["parent"]))["invented_later"] == {"a": [1]}


def contains(written: JsonValue, frozen: JsonValue) -> bool:
    """Whether `written` says all that `frozen` says; it may say more in fields that were added since."""
    if isinstance(frozen, dict) and isinstance(written, dict):
        return all(name in written and contains(written[name], value) for name, value in frozen.items())
    if isinstance(frozen, list) and isinstance(written, list):
        return len(frozen) == len(written) and all(map(contains, written, frozen))
    return written == frozen
