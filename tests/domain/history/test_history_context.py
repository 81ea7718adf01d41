"""What a message list covers: path, deletions, compactions, clears, forks, rewinds, and blocks."""

import pytest

from desktop.domain.core.errors import CorruptLog, NeutralError, UnknownEventId, UnknownSession
from desktop.domain.history.builder import reconstruct, to_messages
from desktop.domain.history.neutral import load_neutral
from tests.domain.history_words import (
    ACK,
    CLEAR,
    NOT_RUN,
    OPENING,
    PNG,
    PREFIX,
    SEALED,
    START,
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
    numbered,
    res,
    summed,
    t,
    th,
    u,
    use,
)

SUM = f"{PREFIX}\n\nS"


def rewind(to):
    return ev("session.rewind", to=to)


def fork(source, session="f"):
    return ev("session.fork", **{"from": source, "session": session})


BLOCKS = {
    "string prompt": ([u("hi")], [U("hi")]),
    "string answer": ([u("hi"), a("yo")], [U("hi"), A("yo")]),
    "blank prompt": ([u(" \n\t"), a("yo")], [U(OPENING), A("yo")]),
    "blank answer": ([u("hi"), a(""), u("again")], [U("hi", "again")]),
    "no-break space is blank": ([u("\u00a0\u2003"), u("x")], [U("x")]),
    "zero width space is text": ([u("\u200b")], [U("\u200b")]),
    "text keeps its blanks": ([u("  a \n")], [U("  a \n")]),
    "empty list": ([u("hi"), {"type": "message.assistant", "content": []}, u("x")], [U("hi", "x")]),
    "blank among text": ([u(t("a"), t(" "), t("b"))], [U("a", "b")]),
    "text loses other keys": ([u(t("a", cache_control={"type": "ephemeral"}, citations=[]))], [U("a")]),
    "call loses other keys": (
        [u("g"), a(use("c", {"a": 1}, cache_control={}, caller={"type": "direct"})), res("c", "x")],
        [U("g"), A(use("c", {"a": 1})), U(ans("c", "x"))]),
    "image keeps its keys": ([u({**PNG, "cache_control": {"type": "ephemeral"}})],
                             [U({**PNG, "cache_control": {"type": "ephemeral"}})]),
    "image loses underscore keys": ([u({**PNG, "_path": "/x", "_": 1})], [U(PNG)]),
    "keys inside of an image stay": (
        [u({"type": "image", "source": {"type": "url", "_k": 1}})],
        [U({"type": "image", "source": {"type": "url", "_k": 1}})]),
    "document": ([u({"type": "document", "source": {"type": "text", "data": "d"}, "title": "T"})],
                 [U({"type": "document", "source": {"type": "text", "data": "d"}, "title": "T"})]),
    "blocks that are no objects": ([u("x"), {"type": "message.assistant", "content": ["a", 3, None, t("b")]}],
                                   [U("x"), A("b")]),
    "block without a type": ([u({"text": "a"}, t("b"))], [U("b")]),
    "text that is no text": ([u({"type": "text", "text": 4}, t("b"))], [U("b")]),
    "thinking of a user": ([u(th(), t("b"))], [U("b")]),
    "unsigned": ([u("g"), a(th(signature=None), t("x"))], [U("g"), A("x")]),
    "empty signature": ([u("g"), a(th(signature=""), t("x"))], [U("g"), A("x")]),
    "signed": ([u("g"), a(th("  ", "sig"), t("x"))], [U("g"), A(th("  ", "sig"), "x")]),
    "sealed": ([u("g"), a(SEALED, t("x"))], [U("g"), A(SEALED, "x")]),
    "sealed loses other keys": ([u("g"), a({**SEALED, "_k": 1, "k": 2}, t("x"))], [U("g"), A(SEALED, "x")]),
    "thinking loses other keys": ([u("g"), a({**th(), "_k": 1, "k": 2}, t("x"))], [U("g"), A(th(), "x")]),
    "trailing": ([u("g"), a(t("x"), th(), SEALED)], [U("g"), A("x")]),
    "thinking only": ([u("g"), a(th()), u("h")], [U("g", "h")]),
    "thinking before blank text only": ([u("g"), a(th(), t(" ")), u("h")], [U("g", "h")]),
    "trailing before joining": ([u("g"), a(th()), a("x")], [U("g"), A("x")]),
    "thinking first in both": ([u("g"), a(th("1"), t("x")), a(th("2"), t("y"))],
                               [U("g"), A(th("1"), "x", th("2"), "y")]),
    "thinking only in the second": ([u("g"), a("x"), a(th(), t("y"))], [U("g"), A("x", "y")]),
    "text first, thinking between": ([u("g"), a(t("x"), th(), t("y"))], [U("g"), A("x", "y")]),
    "unsigned first, signed behind text": ([u("g"), a(th(signature=None), t("x"), th(), t("y"))],
                                           [U("g"), A("x", "y")]),
    "unsigned between signed": ([u("g"), a(th("1"), th("2", None), th("3"), t("x"))],
                                [U("g"), A(th("1"), th("3"), "x")]),
    "thinking before a call": ([u("g"), a(th(), use("c")), res("c", "r"), a(th("2"), t("x"))],
                               [U("g"), A(th(), use("c")), U(ans("c", "r")), A(th("2"), "x")]),
    "thinking between calls": ([u("g"), a(th(), use("c"), th("2"), use("d")), res("c", "1"), res("d", "2")],
                               [U("g"), A(th(), use("c"), th("2"), use("d")), U(ans("c", "1"), ans("d", "2"))]),
    "call first, thinking behind": ([u("g"), a(use("c"), th(), use("d")), res("c", "1"), res("d", "2")],
                                    [U("g"), A(use("c"), use("d")), U(ans("c", "1"), ans("d", "2"))]),
    "thinking after a dropped repetition": (
        [u("g"), a(use("c")), res("c", "1"), a(t("x"), th(), use("c"))],
        [U("g"), A(use("c")), U(ans("c", "1")), A("x")]),
    "prompts join": ([u("1"), u("2"), u(PNG)], [U("1", "2", PNG)]),
    "answers join": ([u("g"), a("1"), a("2")], [U("g"), A("1", "2")]),
    "answers with calls do not": ([u("g"), a("1"), a(use("c")), a("2")],
                                  [U("g"), A("1", use("c")), U(bad("c", NOT_RUN)), A("2")]),
    "noise between does not part": ([u("1"), ev("stream.delta", content="x"), u("2")], [U("1", "2")]),
    "system message": ([ev("message.system", content="be good"), u("1")], [U("1")]),
    # kinds that mean nothing, wrong fields
    "kinds of other programs": (
        [START, ev("hook.run", content=[t("x")]), ev("banksman.zz"), ev("MESSAGE.USER", content="x"), u("1")],
        [U("1")]),
    "prompt without content": ([u("1"), ev("message.user"), ev("message.user", content=None)], [U("1")]),
    "prompt with an object": ([u("1"), ev("message.user", content={"type": "text", "text": "x"})], [U("1")]),
    "prompt with a number": ([u("1"), ev("message.user", content=4)], [U("1")]),
    "result without an id": ([u("1"), ev("tool.result", content="x")], [U("1")]),
    "call without an id": ([u("1"), a(use("c")), ev("tool.call", name="bash", input={})],
                           [U("1"), A(use("c")), U(bad("c", NOT_RUN))]),
    "call without a name": ([u("1"), a(use("c")), ev("tool.call", tool_use_id="c", input={})],
                            [U("1"), A(use("c")), U(bad("c", UNKNOWN))]),
    "deletion without a target": ([u("1"), ev("message.deleted")], [U("1")]),
    "rewind without a target": ([u("1"), ev("session.rewind"), u("2")], [U("1", "2")]),
    "fields nobody knows": ([u("1", meta={"a": 1}, display="x", origin="zz")], [U("1")]),
    "empty log": ([], []),
    "only noise": ([START, ev("lane.opened")], []),
}  # fmt: skip

CONTEXT = {
    "deleted prompt": ([u("1"), a("x"), u("2"), gone("e0")], [U(OPENING), A("x"), U("2")]),
    "deleted answer joins prompts": ([u("1"), a("x"), u("2"), gone("e1")], [U("1", "2")]),
    "deletion before its target": ([u("1"), gone("e2"), u("2"), u("3")], [U("1", "3")]),
    "deletion twice": ([u("1"), u("2"), gone("e1"), gone("e1")], [U("1")]),
    "deletion of a start": ([START, u("1"), gone("e0")], [U("1")]),
    "deletion of a deletion": ([u("1"), u("2"), gone("e1"), gone("e2")], [U("1")]),
    "deletion of a clear": ([u("1"), CLEAR, u("2"), gone("e1")], [U("2")]),
    "deletion of a compaction": ([u("1"), summed(), u("2"), gone("e1")], [U(SUM), A(ACK), U("2")]),
    "deletion of a rewind": ([u("1"), u("2"), rewind("e0"), gone("e2")], [U("1")]),
    "deletion by number": ([u("1"), {**u("2"), "id": 77}, gone(77)], [U("1")]),
    "deletion of itself": ([u("1"), gone("e1")], [U("1")]),
    "deletion that was rewound": ([u("1"), u("2"), gone("e0"), rewind("e1")], [U("1", "2")]),
    "deleted call goes with its result": (
        [u("1"), a(use("c")), res("c"), gone("e1"), u("2")], [U("1", "2")], {"dropped": ["c"]}),
    "all deleted": ([u("1"), a("x"), gone("e0"), gone("e1")], []),
    "all deleted behind a summary": ([u("1"), summed(), u("2"), gone("e2")], [U(SUM), A(ACK)]),
    "boundary with a summary": ([u("1"), a("x"), summed(kind="compaction.boundary"), u("2")],
                                [U(SUM), A(ACK), U("2")]),
    "boundary without one": ([u("1"), ev("compaction.boundary"), u("2")], [U("1", "2")]),
    "boundary with null": ([u("1"), ev("compaction.boundary", summary=None, keep_from="e0"), u("2")], [U("1", "2")]),
    "blank summary": ([u("1"), summed(" \n"), u("2")], [U("1", "2")]),
    "summary that is no text": ([u("1"), summed(4), u("2")], [U("1", "2")]),
    "staged": ([u("1"), ev("compaction.staged", summary="S", keep_from="e0"), u("2")], [U("1", "2")]),
    "nothing follows": ([u("1"), summed()], [U(SUM), A(ACK)]),
    "summary of nothing": ([summed(), u("1")], [U(SUM), A(ACK), U("1")]),
    "summary untrimmed": ([u("1"), summed(" a\n")], [U(f"{PREFIX}\n\n a\n"), A(ACK)]),
    "kept from a prompt": ([u("1"), a("x"), u("2"), a("y"), summed(keep="e2"), u("3")],
                           [U(SUM), A(ACK), U("2"), A("y"), U("3")]),
    "kept from an answer": ([u("1"), a("x"), u("2"), summed(keep="e1")], [U(SUM), A("x"), U("2")]),
    "kept from the first": ([u("1"), a("x"), summed(keep="e0")], [U(SUM), A(ACK), U("1"), A("x")]),
    "kept from noise": ([u("1"), ev("hook.run"), u("2"), summed(keep="e1")], [U(SUM), A(ACK), U("2")]),
    "kept from a number": ([u("1"), {**u("2"), "id": 9}, summed(keep=9)], [U(SUM), A(ACK), U("2")]),
    "kept from null": ([u("1"), summed(keep=None)], [U(SUM), A(ACK)]),
    "kept from nowhere": ([u("1"), summed(keep="zz")], [U(SUM), A(ACK)]),
    "kept from a list": ([u("1"), summed(keep=["e0"])], [U(SUM), A(ACK)]),
    "kept from later": ([u("1"), summed(keep="e2"), u("2")], [U(SUM), A(ACK), U("2")]),
    "kept from itself": ([u("1"), summed(keep="e1"), u("2")], [U(SUM), A(ACK), U("2")]),
    "kept from a deleted prompt": ([u("1"), u("2"), u("3"), gone("e1"), summed(keep="e1")], [U(SUM), A(ACK), U("3")]),
    "kept prompt deleted afterwards": ([u("1"), u("2"), summed(keep="e1"), gone("e1")], [U(SUM), A(ACK)]),
    "kept from a result": ([u("1"), a(use("c")), res("c", "r"), u("2"), summed(keep="e2")],
                           [U(SUM), A(ACK), U("2")], {"dropped": ["c"]}),
    "kept from a call event": ([u("1"), a(use("c")), call("c"), res("c", "r"), u("2"), summed(keep="e2")],
                               [U(SUM), A(ACK), U("2")], {"dropped": ["c"]}),
    "kept call has its result from before": (
        [u("1"), res("c", "r"), a(use("c")), summed(keep="e2")], [U(SUM), A(use("c")), U(ans("c", "r"))]),
    "kept call with its full input from before": (
        [u("1"), call("c", {"n": 1}), res("c", "r"), a(use("c", {"_truncated": True})), summed(keep="e3")],
        [U(SUM), A(use("c", {"n": 1})), U(ans("c", "r"))]),
    "result after the boundary of a call that went": (
        [u("1"), a(use("c")), call("c"), summed(), res("c", "late"), u("2")], [U(SUM), A(ACK), U("2")],
        {"dropped": ["c"]}),
    "result after the boundary of a kept call": (
        [u("1"), a(use("c")), call("c"), summed(keep="e1"), res("c", "late")],
        [U(SUM), A(use("c")), U(ans("c", "late"))]),
    "second compaction": ([u("1"), summed("A"), u("2"), summed("B"), u("3")],
                          [U(f"{PREFIX}\n\nB"), A(ACK), U("3")]),
    "second keeps what the first kept": ([u("1"), u("2"), summed("A", "e1"), u("3"), summed("B", "e1")],
                                         [U(f"{PREFIX}\n\nB"), A(ACK), U("2", "3")]),
    "second cannot keep what the first dropped": ([u("1"), u("2"), summed("A", "e1"), u("3"), summed("B", "e0")],
                                                  [U(f"{PREFIX}\n\nB"), A(ACK)]),
    "blank second leaves the first": ([u("1"), summed("A"), u("2"), summed(""), u("3")],
                                      [U(f"{PREFIX}\n\nA"), A(ACK), U("2", "3")]),
    "clear": ([u("1"), CLEAR, u("2")], [U("2")]),
    "clear takes the summary": ([u("1"), summed(), CLEAR, u("2")], [U("2")]),
    "clear at the end": ([u("1"), a("x"), CLEAR], []),
    "answer after a clear": ([u("1"), CLEAR, a("x")], [U(OPENING), A("x")]),
    "compaction after a clear cannot reach back": ([u("1"), CLEAR, u("2"), summed(keep="e0")], [U(SUM), A(ACK)]),
    "call before a clear, result after": ([u("1"), a(use("c")), CLEAR, res("c", "r"), u("2")], [U("2")],
                                          {"dropped": ["c"]}),
    "answer first": ([START, a("x"), u("1")], [U(OPENING), A("x"), U("1")]),
    "call first": ([a(use("c")), res("c", "r")], [U(OPENING), A(use("c")), U(ans("c", "r"))]),
    "summary, then an answer": ([u("1"), summed(), a("x")], [U(SUM), A("x")]),
    "summary, then a thought": ([u("1"), summed(), a(th()), u("2")], [U(SUM), A(ACK), U("2")]),
    "rewind": ([u("1"), a("x"), u("2"), rewind("e1"), u("3")], [U("1"), A("x"), U("3")]),
    "rewind to the start": ([START, u("1"), rewind("e0"), u("2")], [U("2")]),
    "rewind of a rewind": ([u("1"), u("2"), rewind("e0"), u("3"), rewind("e1")], [U("1", "2")]),
    "rewind to a rewind": ([u("1"), u("2"), rewind("e0"), u("3"), rewind("e2"), u("4")], [U("1", "4")]),
    "rewind before a compaction": ([u("1"), summed(), u("2"), rewind("e0"), u("3")], [U("1", "3")]),
    "rewind before a clear": ([u("1"), CLEAR, rewind("e0")], [U("1")]),
    "rewind between call and result": (
        [u("1"), a(use("c")), call("c"), res("c", "r"), rewind("e2")], [U("1"), A(use("c")), U(bad("c", UNKNOWN))]),
    "rewind before the call began": (
        [u("1"), a(use("c")), call("c"), res("c", "r"), rewind("e1")], [U("1"), A(use("c")), U(bad("c", NOT_RUN))]),
    "rewind frees an id": (
        [u("1"), a(use("c", {"n": 1})), res("c", "old"), rewind("e0"), a(use("c", {"n": 2})), res("c", "new")],
        [U("1"), A(use("c", {"n": 2})), U(ans("c", "new"))]),
    "rewind by number": ([{**u("1"), "id": 5}, u("2"), rewind(5), u("3")], [U("1", "3")]),
    "branch by parent alone": ([u("1"), u("2"), {**u("3"), "parent": "e0"}], [U("1", "3")]),
    "parent null is a new root": ([u("1"), {**u("2"), "parent": None}], [U("2")]),
    "fork": ([u("1"), a("x"), fork("e0"), u("mine", session="f")], [U("1", "mine")], {"session": "f"}),
    "source after the fork": ([u("1"), fork("e0"), u("2"), gone("e0"), summed(), u("mine", session="f")],
                              [U("1", "mine")], {"session": "f"}),
    "fork deletes what it inherits": (
        [u("1"), a("x"), fork("e1"), {**gone("e0"), "session": "f"}], [U(OPENING), A("x")], {"session": "f"}),
    "and the source keeps it": (
        [u("1"), a("x"), fork("e1"), {**gone("e0"), "session": "f"}], [U("1"), A("x")], {"session": "main"}),
    "fork of a fork": (
        [u("1"), fork("e0"), u("2", session="f"), fork("f.e1", "g"), u("3", session="g"), u("late", session="f")],
        [U("1", "2", "3")], {"session": "g"}),
    "fork of a part that was rewound": ([u("1"), u("2"), rewind("e0"), fork("e1")], [U("1", "2")], {"session": "f"}),
    "rewind of a fork into its source": (
        [u("1"), u("2"), fork("e1"), u("3", session="f"), {**rewind("e0"), "session": "f"}], [U("1")],
        {"session": "f"}),
    "fork keeps from what it inherits": (
        [u("1"), u("2"), fork("e1"), {**summed(keep="e1"), "session": "f"}], [U(SUM), A(ACK), U("2")],
        {"session": "f"}),
    "at an event": ([u("1"), a("x"), u("2")], [U("1"), A("x")], {"at": "e1"}),
    "at an event that was rewound": ([u("1"), u("2"), rewind("e0")], [U("1", "2")], {"at": "e1"}),
    "at an event of another session": ([u("1"), fork("e0"), u("2", session="f")], [U("1", "2")], {"at": "f.e1"}),
    "numbers with gaps": ([{**u("1"), "seq": 10}, {**u("2"), "seq": 50}], [U("1", "2")]),
    "numbers below zero": ([{**u("1"), "seq": -4}, {**u("2"), "seq": 3}], [U("1", "2")]),
}  # fmt: skip


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_are_those_a_service_takes(name):
    check(*BLOCKS[name])


@pytest.mark.parametrize("name", CONTEXT)
def test_list_covers_the_effective_context_of_the_path(name):
    events, expected, *rest = CONTEXT[name]
    check(events, expected, **(rest[0] if rest else {}))


@pytest.mark.parametrize("events", [
    [{**u("1"), "parent": "e1"}, u("2")],
    [{**u("1"), "parent": "e0"}],
    [u("1"), {**rewind("e2"), "seq": 1}, u("2")],
    [{**fork("g.e0"), "session": "main"}, {**fork("e0"), "session": "g"}],
])  # fmt: skip
def test_cycle_is_said_and_ends(events):
    with pytest.raises(CorruptLog):
        to_messages(load_neutral(numbered(events)), session_id="main")


@pytest.mark.parametrize("event", [{**u("x"), "parent": "zz"}, rewind("zz"), {**fork("zz"), "session": "main"}])
def test_list_starts_at_an_event_whose_parent_is_missing(event):
    result = reconstruct(load_neutral(numbered([u("1"), event, u("2")])))
    assert result.messages[-1]["content"][-1] == t("2")
    assert t("1") not in result.messages[-1]["content"]
    assert len(result.warnings) == 1


@pytest.mark.parametrize(("events", "index"), [
    ([u("1"), 4], 1),
    ([{"type": "message.user"}], 0),
    ([{"seq": True, "type": "x"}], 0),
    ([{"seq": 1.0, "type": "x"}], 0),
    ([{"seq": "1", "type": "x"}], 0),
    ([{"seq": 1}], 0),
    ([{"seq": 1, "type": 4}], 0),
    ([{"seq": 1, "type": "x"}, {"seq": 1, "type": "y", "id": "o"}], 1),
    ([{"seq": 1, "type": "x", "id": "i"}, {"seq": 2, "type": "x", "id": "i"}], 1),
    ([{"seq": 1, "type": "x"}, {"seq": 2, "type": "x", "id": "e1"}], 1),
])  # fmt: skip
def test_malformed_list_names_the_element(events, index):
    given = [event if not isinstance(event, dict) or "seq" in event or index == 0 else {"seq": 0, **event}
             for event in events]  # fmt: skip
    with pytest.raises(NeutralError) as raised:
        load_neutral(given)
    assert raised.value.index == index


def test_which_session_is_meant():
    two = load_neutral(numbered([u("a", session="x"), u("b", session="y")]))
    with pytest.raises(ValueError, match="several sessions"):
        to_messages(two)
    assert to_messages(two, session_id="y") == [U("b")]
    assert to_messages(two[:1]) == [U("a")]
    with pytest.raises(UnknownSession):
        to_messages(two, session_id="z")
    with pytest.raises(UnknownEventId):
        to_messages(two, at="zz")
    assert to_messages([], session_id="any") == []
