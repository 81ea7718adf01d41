"""Calls and their results in a message list: inputs, results, repeated ids."""

import pytest

from tests.domain.history_words import (
    CLEAR,
    EMPTY,
    NOT_RUN,
    OPENING,
    PNG,
    REMOVED,
    UNKNOWN,
    A,
    U,
    a,
    ans,
    bad,
    call,
    check,
    ev,
    gone,
    res,
    t,
    th,
    u,
    use,
)

MARK = {"_truncated": True, "_originalSize": 9000, "_preview": '{"p'}
BARE = {"_truncated": True}
BROKEN = {"_serializationError": True}
FULL = {"path": "a.py", "text": "x" * 9000}


def one(*events, value, answer=None, **account):
    """A prompt, these events, and the list with one call of this input."""
    expected = [U("go"), A(use("c", value)), U(answer or ans("c"))]
    return [u("go"), *events], expected, account


INPUTS = {
    # what is a marker, and what it becomes
    "marker with all keys and a call": one(a(use("c", MARK)), call("c", FULL), res("c", "ok"), value=FULL),
    "bare marker and a call": one(a(use("c", BARE)), call("c", FULL), res("c", "ok"), value=FULL),
    "marker with preview only": one(
        a(use("c", {"_truncated": True, "_preview": "x"})), call("c", FULL), res("c", "ok"), value=FULL),
    "marker with size only": one(
        a(use("c", {"_truncated": True, "_originalSize": 1})), call("c", FULL), res("c", "ok"), value=FULL),
    "marker keys of odd types": one(
        a(use("c", {"_truncated": True, "_originalSize": "9", "_preview": None})), call("c", FULL), res("c", "ok"),
        value=FULL),
    "serialization error": one(a(use("c", BROKEN)), call("c", FULL), res("c", "ok"), value=FULL),
    "marker without a call": one(a(use("c", MARK)), res("c", "ok"), value={}, lost=["c"]),
    "serialization error without a call": one(a(use("c", BROKEN)), res("c", "ok"), value={}, lost=["c"]),
    "extra key makes it an input": one(
        a(use("c", {**MARK, "path": "a"})), call("c", FULL), res("c", "ok"), value={**MARK, "path": "a"}),
    "extra underscore key makes it an input": one(
        a(use("c", {**MARK, "_more": 1})), call("c", FULL), res("c", "ok"), value={**MARK, "_more": 1}),
    "serialization error with another key": one(
        a(use("c", {**BROKEN, "a": 1})), call("c", FULL), res("c", "ok"), value={**BROKEN, "a": 1}),
    "serialization error with a preview": one(
        a(use("c", {**BROKEN, "_preview": ""})), call("c", FULL), res("c", "ok"), value={**BROKEN, "_preview": ""}),
    "both marker keys together are neither": one(
        a(use("c", {**BARE, **BROKEN})), call("c", FULL), res("c", "ok"), value={**BARE, **BROKEN}),
    "truncated false": one(
        a(use("c", {"_truncated": False})), call("c", FULL), res("c", "ok"), value={"_truncated": False}),
    "truncated as text": one(
        a(use("c", {"_truncated": "true"})), call("c", FULL), res("c", "ok"), value={"_truncated": "true"}),
    "truncated as a number": one(a(use("c", {"_truncated": 1})), call("c", FULL), res("c", "ok"),
                                 value={"_truncated": 1}),
    "size and preview alone": one(
        a(use("c", {"_originalSize": 1, "_preview": ""})), call("c", FULL), res("c", "ok"),
        value={"_originalSize": 1, "_preview": ""}),
    "serialization error false": one(
        a(use("c", {"_serializationError": False})), call("c", FULL), res("c", "ok"),
        value={"_serializationError": False}),
    "marker deeper inside is content": one(
        a(use("c", {"edit": MARK})), call("c", FULL), res("c", "ok"), value={"edit": MARK}),
    "real input is never replaced": one(a(use("c", {"a": 1})), call("c", {"a": 2}), res("c", "ok"), value={"a": 1}),
    "empty input is never replaced": one(a(use("c", {})), call("c", {"a": 2}), res("c", "ok"), value={}),
    "null input": one(a({**use("c"), "input": None}), call("c", {"a": 2}), res("c", "ok"), value={}),
    "absent input": one(a({"type": "tool_use", "id": "c", "name": "bash"}), res("c", "ok"), value={}),
    "input as JSON text": one(
        a(use("c", '{"a": [1, {"b": "\\u00e4"}]}')), res("c", "ok"), value={"a": [1, {"b": "ä"}]}),
    "marker as JSON text": one(a(use("c", '{"_truncated": true}')), call("c", FULL), res("c", "ok"), value=FULL),
    "marker as JSON text without a call": one(a(use("c", '{"_truncated": true}')), res("c", "ok"), value={},
                                              lost=["c"]),
    "text that is no JSON": one(a(use("c", "ls -l")), call("c", {"a": 2}), res("c", "ok"), value={}, lost=["c"]),
    "text cut off in the middle": one(a(use("c", '{"a": "b')), res("c", "ok"), value={}, lost=["c"]),
    "JSON text that is a list": one(a(use("c", "[1]")), res("c", "ok"), value={}, lost=["c"]),
    "JSON text with a NaN": one(a(use("c", '{"a": NaN}')), res("c", "ok"), value={}, lost=["c"]),
    # the first input of a call that is no marker
    "first call counts": one(
        a(use("c", MARK)), call("c", {"n": 1}), call("c", {"n": 2}), res("c", "ok"), value={"n": 1}),
    "first call is a marker too": one(
        a(use("c", MARK)), call("c", MARK), call("c", {"n": 2}), res("c", "ok"), value={"n": 2}),
    "all calls are markers": one(
        a(use("c", MARK)), call("c", MARK), call("c", BROKEN), res("c", "ok"), value={}, lost=["c"]),
    "call of JSON text": one(a(use("c", MARK)), call("c", '{"n": 3}'), res("c", "ok"), value={"n": 3}),
    "call of marker text": one(
        a(use("c", MARK)), call("c", '{"_truncated":true}'), call("c", {"n": 4}), res("c", "ok"), value={"n": 4}),
    "call without an input": one(a(use("c", MARK)), call("c"), res("c", "ok"), value={}, lost=["c"]),
    "call before the message": one(call("c", FULL), res("c", "ok"), a(use("c", MARK)), value=FULL),
    "call of an empty object": one(a(use("c", MARK)), call("c", {}), res("c", "ok"), value={}),
    "call of another id does not help": one(
        a(use("c", MARK)), call("d", FULL), res("c", "ok"), value={}, lost=["c"]),
    "call with a marker and an extra key": one(
        a(use("c", MARK)), call("c", {**MARK, "k": 1}), res("c", "ok"), value={**MARK, "k": 1}),
    "deleted call still gives its input": one(
        a(use("c", MARK)), call("c", FULL), res("c", "ok"), gone("e2"), value=FULL),
    "call on a part that was rewound": (
        [u("go"), a(use("c", MARK)), call("c", FULL), ev("session.rewind", to="e1")],
        [U("go"), A(use("c")), U(bad("c", NOT_RUN))],
        {"lost": ["c"], "why": {"c": "not_executed"}},
    ),
    "two markers in one message": (
        [u("go"), a(use("c", MARK), use("d", BROKEN)), call("d", {"n": 1}), res("c", "1"), res("d", "2")],
        [U("go"), A(use("c"), use("d", {"n": 1})), U(ans("c", "1"), ans("d", "2"))],
        {"lost": ["c"]},
    ),
    "lost ids in order of the list": (
        [u("go"), a(use("b", MARK)), res("b", "1"), a(use("a", "x")), res("a", "2")],
        [U("go"), A(use("b")), U(ans("b", "1")), A(use("a")), U(ans("a", "2"))],
        {"lost": ["b", "a"]},
    ),
}  # fmt: skip


def called(*events, answer, **account):
    """One prompt and one call, then these events, and what answers it."""
    return [u("go"), a(use("c")), *events], [U("go"), A(use("c")), U(answer)], account


LEFT = {"type": "tool_result", "tool_use_id": "c", "content": "cut", "_meta": {"interrupted": True}}
RESULTS = {
    # which result
    "placeholder then real": called(res("c", "cut", interrupted=True), res("c", "real"), answer=ans("c", "real")),
    "real then placeholder": called(res("c", "real"), res("c", "cut", interrupted=True), answer=ans("c", "real")),
    "placeholder alone": called(res("c", "cut", interrupted=True), answer=ans("c", "cut")),
    "two placeholders": called(
        res("c", "one", interrupted=True), res("c", "two", interrupted=True), answer=ans("c", "one")),
    "two real": called(res("c", "one"), res("c", "two", is_error=True), answer=ans("c", "one")),
    "interrupted false is real": called(
        res("c", "a", interrupted=False), res("c", "b"), answer=ans("c", "a")),
    "embedded": called(u(ans("c", "in")), answer=ans("c", "in")),
    "embedded placeholder then real event": called(u(LEFT), res("c", "real"), answer=ans("c", "real")),
    "real event then embedded": called(res("c", "first"), u(ans("c", "second")), answer=ans("c", "first")),
    "embedded then event": called(u(ans("c", "first")), res("c", "second"), answer=ans("c", "first")),
    "embedded placeholder alone": called(u(LEFT), answer=ans("c", "cut")),
    "meta interrupted false is real": called(
        u({**LEFT, "_meta": {"interrupted": False}}), res("c", "b"), answer=ans("c", "cut")),
    "event placeholder then embedded real": called(
        res("c", "p", interrupted=True), u(ans("c", "real")), answer=ans("c", "real")),
    "result before the message": ([u("go"), res("c", "early"), a(use("c"))],
                                  [U("go"), A(use("c")), U(ans("c", "early"))], {}),
    "result before the prompt": ([res("c", "early"), u("go"), a(use("c"))],
                                 [U("go"), A(use("c")), U(ans("c", "early"))], {}),
    "result after later text": ([u("go"), a(use("c")), a("more"), res("c", "late")],
                                [U("go"), A(use("c")), U(ans("c", "late")), A("more")], {}),
    "result after the next prompt": ([u("go"), a(use("c")), u("next"), res("c", "late")],
                                     [U("go"), A(use("c")), U(ans("c", "late"), "next")], {}),
    "embedded behind text comes first": ([u("go"), a(use("c")), u(t("so"), ans("c", "r"))],
                                         [U("go"), A(use("c")), U(ans("c", "r"), "so")], {}),
    "two calls answered in reverse": (
        [u("go"), a(use("c"), use("d")), res("d", "2"), res("c", "1")],
        [U("go"), A(use("c"), use("d")), U(ans("c", "1"), ans("d", "2"))], {}),
    "calls in two events": (
        [u("go"), a(use("c")), a(use("d")), res("d", "2"), res("c", "1")],
        [U("go"), A(use("c")), U(ans("c", "1")), A(use("d")), U(ans("d", "2"))], {}),
    "unknown ids are dropped": ([u("go"), res("z", "?"), a("hi"), u(ans("y"))], [U("go"), A("hi")],
                                {"dropped": ["z", "y"]}),
    "unknown id among known": ([u("go"), a(use("c")), u(ans("z"), ans("c", "1"), t("x"))],
                               [U("go"), A(use("c")), U(ans("c", "1"), "x")], {"dropped": ["z"]}),
    "deleted unknown result is not counted": ([u("go"), res("z"), gone("e1"), a("hi")], [U("go"), A("hi")], {}),
    "result in an assistant event is no result": (
        [u("go"), a(use("c"), ans("c", "odd"))], [U("go"), A(use("c")), U(bad("c", NOT_RUN))], {}),
    "call in a user event is no call": ([u("go"), u(use("c"), t("x")), res("c", "1")], [U("go", "x")],
                                        {"dropped": ["c"]}),
    "started": called(call("c", {}), answer=bad("c", UNKNOWN), why={"c": "unknown_outcome"}),
    "not started": called(answer=bad("c", NOT_RUN), why={"c": "not_executed"}),
    "started before the message": ([u("go"), call("c"), a(use("c"))],
                                   [U("go"), A(use("c")), U(bad("c", UNKNOWN))], {}),
    "deleted result": called(call("c"), res("c", "x"), gone("e3"), answer=ans("c", REMOVED),
                             why={"c": "result_removed"}),
    "deleted error result is no error": called(res("c", "x", is_error=True), gone("e2"), answer=ans("c", REMOVED)),
    "deleted placeholder": called(res("c", "x", interrupted=True), gone("e2"), answer=ans("c", REMOVED)),
    "real one deleted, placeholder left": called(
        res("c", "cut", interrupted=True), res("c", "real"), gone("e3"), answer=ans("c", "cut")),
    "placeholder deleted, real one left": called(
        res("c", "cut", interrupted=True), res("c", "real"), gone("e2"), answer=ans("c", "real")),
    "first of two real deleted": called(res("c", "1"), res("c", "2"), gone("e2"), answer=ans("c", "2")),
    "both deleted": called(res("c", "1"), res("c", "2"), gone("e3"), gone("e2"), answer=ans("c", REMOVED)),
    "user event with embedded result deleted": (
        [u("go"), a(use("c")), u(ans("c", "r"), t("bye")), gone("e2")],
        [U("go"), A(use("c")), U(ans("c", REMOVED))], {}),
    "started and neither answered": (
        [u("go"), a(use("c"), use("d")), call("d"), u("next")],
        [U("go"), A(use("c"), use("d")), U(bad("c", NOT_RUN), bad("d", UNKNOWN), "next")],
        {"why": {"c": "not_executed", "d": "unknown_outcome"}}),
    "string": called(res("c", "plain"), answer=ans("c", "plain")),
    "blank string of a success": called(res("c", " \n"), answer=ans("c", " \n")),
    "blank string of an error": called(res("c", " \n", is_error=True), answer=bad("c", EMPTY)),
    "missing content": called(res("c"), answer=ans("c", "")),
    "null content": called(res("c", None), answer=ans("c", "")),
    "missing content of an error": called(res("c", is_error=True), answer=bad("c", EMPTY)),
    "list stays a list": called(res("c", [t("a"), t("b")]), answer=ans("c", [t("a"), t("b")])),
    "list with an image": called(res("c", [t(" "), PNG]), answer=ans("c", [PNG])),
    "image of an error": called(res("c", [PNG], is_error=True), answer=bad("c", [PNG])),
    "blank list": called(res("c", [t(""), t("\t")]), answer=ans("c", "")),
    "blank list of an error": called(res("c", [t("")], is_error=True), answer=bad("c", EMPTY)),
    "empty list": called(res("c", []), answer=ans("c", "")),
    "empty list of an error": called(res("c", [], is_error=True), answer=bad("c", EMPTY)),
    "text parts lose other keys": called(
        res("c", [t("a", cache_control={"type": "ephemeral"}, _x=1)]), answer=ans("c", [t("a")])),
    "image parts lose underscore keys": called(res("c", [{**PNG, "_path": "/a"}]), answer=ans("c", [PNG])),
    "parts that are no objects": called(res("c", ["a", 4, None, t("b")]), answer=ans("c", [t("b")])),
    "error false is left out": called(res("c", "x", is_error=False), answer=ans("c", "x")),
    "error null is left out": called(res("c", "x", is_error=None), answer=ans("c", "x")),
    "embedded error without content": called(
        u({"type": "tool_result", "tool_use_id": "c", "is_error": True}), answer=bad("c", EMPTY)),
    "embedded error false": called(u(ans("c", "x", is_error=False)), answer=ans("c", "x")),
    "embedded list": called(u(ans("c", [t("x", _k=1), t(" ")])), answer=ans("c", [t("x")])),
    "embedded cache control": called(
        u(ans("c", "x", cache_control={"type": "ephemeral"})), answer=ans("c", "x")),
    "same id again in a later message": (
        [u("go"), a(use("c", {"n": 1})), a(t("again"), use("c", {"n": 2})), res("c", "1")],
        [U("go"), A(use("c", {"n": 1})), U(ans("c", "1")), A("again")], {}),
    "same id twice in one message": (
        [u("go"), a(use("c", {"n": 1}), use("c", {"n": 2})), res("c", "1")],
        [U("go"), A(use("c", {"n": 1})), U(ans("c", "1"))], {}),
    "re-emitted with thinking only": (
        [u("go"), a(th(), use("c")), res("c", "1"), a(th(), use("c"), interrupted=True), u("next")],
        [U("go"), A(th(), use("c")), U(ans("c", "1"), "next")], {}),
    "first of two deleted": (
        [u("go"), a(use("c", {"n": 1})), a(use("c", {"n": 2})), res("c", "1"), gone("e1")],
        [U("go"), A(use("c", {"n": 2})), U(ans("c", "1"))], {}),
    "first one before a clear": (
        [u("go"), a(use("c", {"n": 1})), res("c", "1"), CLEAR, a(use("c", {"n": 2}))],
        [U(OPENING), A(use("c", {"n": 2})), U(ans("c", "1"))], {}),
    "dropped repetition is not lost": (
        [u("go"), a(use("c", {"n": 1})), a(use("c", MARK)), res("c", "1")],
        [U("go"), A(use("c", {"n": 1})), U(ans("c", "1"))], {}),
    "same id in three turns": (
        [u("1"), a(use("c")), res("c", "r"), u("2"), a(use("c")), u("3"), a(use("c"), t("end"))],
        [U("1"), A(use("c")), U(ans("c", "r"), "2", "3"), A("end")], {}),
    # integers as ids of events
    "ids as numbers": ([u("go"), a(use("7")), {**res("7", "x"), "tool_use_id": 7}],
                       [U("go"), A(use("7")), U(ans("7", "x"))], {}),
}  # fmt: skip


@pytest.mark.parametrize("name", INPUTS)
def test_input_of_a_call_is_the_full_one(name):
    events, expected, account = INPUTS[name]
    check(events, expected, **account)


@pytest.mark.parametrize("name", RESULTS)
def test_each_call_is_answered_once_and_at_once(name):
    events, expected, account = RESULTS[name]
    check(events, expected, **account)
