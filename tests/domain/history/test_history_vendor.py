"""What a model's service did by itself goes back as it came, and never one half of it alone."""

import pytest

from desktop.domain.history.builder import HistoryBuilder
from desktop.domain.history.neutral import load_neutral
from desktop.domain.web.vendor import UNFINISHED
from tests.domain.history_words import A, U, a, ans, check, gone, numbered, res, t, u, use

CALL = {
    "type": "server_tool_use",
    "id": "s",
    "name": "web_search",
    "input": {"query": "q"},
    "caller": {"type": "direct"},
}
RESULT = {
    "type": "web_search_tool_result",
    "tool_use_id": "s",
    "content": [{"url": "https://e.example.com/", "page_age": None}],
}
CITED = {
    "type": "text",
    "text": "Found.",
    "citations": [{"url": "https://e.example.com/", "encrypted_index": "i"}],
}
GIVEN_UP = {"type": "text", "text": UNFINISHED}

CASES = {
    "a search as it came": ([u("go"), a(CALL, RESULT, CITED)], [U("go"), A(CALL, RESULT, CITED)]),
    "a paused answer goes on": (
        [u("go"), a(t("I look."), CALL), a(RESULT, CITED)],
        [U("go"), A(t("I look."), CALL, RESULT, CITED)],
    ),
    "a paused answer that is last keeps its call": ([u("go"), a(CALL)], [U("go"), A(CALL)]),
    "what a person said ends what was paused": (
        [u("go"), a(t("I look."), CALL), u("Stop that")],
        [U("go"), A(t("I look."), GIVEN_UP), U("Stop that")],
    ),
    "a result that comes after that has no call": (
        [u("go"), a(CALL), u("On"), a(RESULT, t("Well."))],
        [U("go"), A(GIVEN_UP), U("On"), A(t("Well."))],
    ),
    "calls of ours stand between": (
        [u("go"), a(CALL, use("c", {})), res("c", "ok"), a(RESULT, CITED)],
        [U("go"), A(CALL, use("c", {})), U(ans("c")), A(RESULT, CITED)],
    ),
    "calls of ours stand last": (
        [u("go"), a(CALL, use("c", {})), res("c", "ok")],
        [U("go"), A(CALL, use("c", {})), U(ans("c"))],
    ),
    "the answer after that has no result": (
        [u("go"), a(CALL, use("c", {})), res("c", "ok"), a(t("Well."))],
        [U("go"), A(GIVEN_UP, use("c", {})), U(ans("c")), A(t("Well."))],
    ),
    "a result without a call": ([u("go"), a(RESULT, t("Well."))], [U("go"), A(t("Well."))]),
    "a second call of the same id": (
        [u("go"), a(CALL, RESULT, CALL, RESULT, t("Well."))],
        [U("go"), A(CALL, RESULT, t("Well."))],
    ),
    "the answer before it was removed": (
        [u("go"), a(CALL, use("c", {}), id="a1"), res("c", "ok"), a(RESULT, CITED), gone("a1")],
        [U("go"), A(t("Found."))],
    ),
    "a user cannot have searched": ([u(CALL, RESULT, CITED, t("x"))], [U(t("Found."), t("x"))]),
    "only what was found is cited": (
        [u("go"), a(CALL, RESULT, {**CITED, "citations": [*CITED["citations"], {"url": "https://f.example.com/"}, 3]})],
        [U("go"), A(CALL, RESULT, CITED)],
    ),
    "parts without ids": (
        [u("go"), a({"type": "server_tool_use"}, {"type": "web_search_tool_result"}, t("Well."))],
        [U("go"), A(t("Well."))],
    ),
    "blank words that cite, and odd citations": (
        [u("go"), a({**CITED, "text": " "}, {**CITED, "citations": "x"}, {**CITED, "citations": []})],
        [U("go"), A(t("Found."), t("Found."))],
    ),
}


@pytest.mark.promise("guests-W8")
@pytest.mark.parametrize("name", CASES)
def test_searches_of_the_service_in_the_list(name: str) -> None:
    events, expected = CASES[name]
    check(events, expected, dropped=("c",) if "removed" in name else ())


def test_only_a_list_that_holds_some_of_it_says_so() -> None:
    log = load_neutral(numbered([u("go"), a(t("Well.")), u("On"), a(CALL, RESULT)]))
    builder, said = HistoryBuilder(), []
    for envelope in log:
        builder.add(envelope)
        builder.messages()
        said.append(builder.from_vendor)
    assert said == [False, False, False, True]
    assert not HistoryBuilder().from_vendor
