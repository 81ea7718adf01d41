"""The sample logs: expected lists, and the laws that hold for each of them."""

import itertools
import json
import random
from collections import defaultdict
from pathlib import Path

import pytest

from desktop.domain.history.builder import WORDING, HistoryBuilder, reconstruct, to_messages
from desktop.domain.history.neutral import dump_neutral, load_neutral
from tests.validity import faults

FILE = json.loads((Path(__file__).parents[2] / "cases" / "reconstruction_cases.json").read_text("utf-8"))
CASES = FILE["cases"]
by_case = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])


def in_product_words(value):
    """The expected value with each token replaced by the product's own text."""
    if isinstance(value, str):
        for name in FILE["constants"]:
            value = value.replace("{{" + name + "}}", WORDING[name])
        return value
    if isinstance(value, list):
        return [in_product_words(item) for item in value]
    return {key: in_product_words(item) for key, item in value.items()} if isinstance(value, dict) else value


def rebuilt(case, events=None):
    log = load_neutral(case["events"] if events is None else events)
    return reconstruct(log, at=case.get("at"), session_id=case.get("session", "main"))


def path_ids(case):
    log = {envelope.event_id: envelope for envelope in load_neutral(case["events"])}
    session = case.get("session", "main")
    head = case.get("at") or max((e.seq, e.event_id) for e in log.values() if e.session_id == session)[1]
    while head in log:
        yield head
        head = log[head].parent_id


def test_the_wording_names_the_seven_texts_of_the_case_file():
    assert set(WORDING) == set(FILE["constants"])


@by_case
def test_sample_log_gives_the_expected_list_and_account(case):
    result = rebuilt(case)
    assert result.messages == in_product_words(case["expected"])
    meta = case.get("expected_meta", {})
    assert result.synthetic == meta.get("synthetic", {})
    assert list(result.unrecoverable) == meta.get("unrecoverable_inputs", [])
    assert list(result.dropped_results) == meta.get("dropped_results", [])


@by_case
def test_order_of_the_array_means_nothing(case):
    events = list(case["events"])
    for seed in range(3):
        random.Random(seed).shuffle(events)
        assert rebuilt(case, events).messages == rebuilt(case).messages


@by_case
def test_list_is_valid_at_every_event_of_the_path(case):
    for event_id in path_ids(case):
        assert faults(to_messages(load_neutral(case["events"]), at=event_id)) == []


@by_case
def test_fork_from_any_event_has_the_list_of_that_event(case):
    for event_id in path_ids(case):
        fork = [*case["events"], {"seq": 0, "type": "session.fork", "session": "fork-x", "from": event_id}]
        log = load_neutral(fork)
        assert to_messages(log, session_id="fork-x") == to_messages(log, at=event_id)


@by_case
def test_rewind_to_any_event_has_the_list_of_that_event(case):
    session = case.get("session", "main")
    seq = 1 + max(event["seq"] for event in case["events"] if event.get("session", "main") == session)
    for event_id in path_ids(case):
        rewind = {"seq": seq, "type": "session.rewind", "session": session, "to": event_id}
        log = load_neutral([*case["events"], rewind])
        assert to_messages(log, session_id=session) == to_messages(log, at=event_id)


@by_case
def test_unknown_events_between_any_two_change_nothing(case):
    spread = [{**event, "seq": event["seq"] * 2} for event in with_ids(case["events"])]
    sessions = defaultdict(list)
    for event in spread:
        sessions[event.get("session", "main")].append(event["seq"])
    noise = [
        {"seq": seq + 1, "type": "zz.noise", "session": session, "id": f"noise-{session}-{seq}", "content": "x"}
        for session, seqs in sessions.items()
        for seq in seqs
        if "at" not in case or seq != max(seqs)
    ]
    assert rebuilt(case, spread + noise).messages == rebuilt(case).messages


@pytest.mark.parametrize("case", [case for case in CASES if "at" not in case], ids=lambda case: case["id"])
def test_repeated_deletion_is_as_one(case):
    session = case.get("session", "main")
    top = max(event["seq"] for event in case["events"] if event.get("session", "main") == session)
    targets = [event["target"] for event in case["events"] if event["type"] == "message.deleted"]
    again = [
        {"seq": seq, "type": "message.deleted", "session": session, "target": target}
        for seq, target in enumerate(targets, start=top + 1)
    ]
    assert rebuilt(case, [*case["events"], *again]).messages == rebuilt(case).messages


@by_case
def test_export_and_import_change_no_byte(case):
    log = load_neutral(case["events"])
    again = load_neutral(json.loads(json.dumps(dump_neutral(log))))
    assert again == log
    args = {"at": case.get("at"), "session_id": case.get("session", "main")}
    assert json.dumps(to_messages(again, **args)) == json.dumps(to_messages(log, **args))


@by_case
def test_builder_equals_the_whole_fold_after_each_event(case):
    log = [e for e in load_neutral(case["events"]) if e.session_id == "main"]
    builder = HistoryBuilder()
    for count, envelope in enumerate(log, start=1):
        builder.add(envelope)
        assert builder.messages() == to_messages(log[:count])


def test_cases_of_one_group_expect_the_same_list():
    grouped = defaultdict(list)
    for case in CASES:
        if "equiv_group" in case:
            grouped[case["equiv_group"]].append(rebuilt(case).messages)
    for lists in grouped.values():
        assert all(a == b for a, b in itertools.pairwise(lists))


def with_ids(events):
    """The events with the ids and parents they have by default written out, so that seqs can change."""
    log = {(envelope.session_id, envelope.seq): envelope for envelope in load_neutral(events)}
    for event in events:
        envelope = log[(event.get("session", "main"), event["seq"])]
        yield {**event, "id": envelope.event_id}
