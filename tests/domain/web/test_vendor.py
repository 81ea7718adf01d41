"""What a model's service did by itself, read out of the parts of an answer."""

from desktop.domain.web.vendor import in_words, vendor_acts

CALL = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "tokens"}}
PAGES = [
    {"type": "web_search_result", "title": "T", "url": "https://a.example.com/", "encrypted_content": "x"},
    {"type": "web_search_result", "title": 3, "url": "https://b.example.com/"},
    {"type": "web_search_result", "title": "without an address"},
    "odd",
]


def result(content: object, call_id: str = "s1", kind: str = "web_search_tool_result") -> dict[str, object]:
    return {"type": kind, "tool_use_id": call_id, "content": content}


def test_a_search_and_its_pages_are_one() -> None:
    (act,) = vendor_acts(({"type": "text", "text": "a"}, "odd", CALL, result(PAGES)))
    assert (act.call_id, act.tool, act.query, act.problem) == ("s1", "web_search", "tokens", "")
    assert [(page.title, page.url) for page in act.results] == [
        ("T", "https://a.example.com/"),
        ("", "https://b.example.com/"),
    ]


def test_an_error_says_its_code_and_a_page_that_was_read_is_a_page() -> None:
    failed = result({"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"})
    read = result({"type": "web_fetch_result", "url": "https://c.example.com/"}, "s2", "web_fetch_tool_result")
    one, two = vendor_acts((CALL, failed, read))
    assert (one.problem, one.results) == ("max_uses_exceeded", ())
    assert (two.tool, two.query, two.results[0].url) == ("web_fetch", "", "https://c.example.com/")


def test_what_was_asked_is_told_whatever_its_form() -> None:
    asked = [{"url": "https://d.example.com/"}, "plain", {"code": "1+1"}, {"query": 3}, None]
    queries = [vendor_acts(({**CALL, "input": one},))[0].query for one in asked]
    assert queries == ["https://d.example.com/", "plain", '{"code": "1+1"}', '{"query": 3}', "null"]


def test_results_of_our_own_calls_and_parts_without_ids_are_not_of_the_service() -> None:
    ours = {"type": "tool_result", "tool_use_id": "c", "content": "x"}
    assert vendor_acts((ours, {"type": "server_tool_use"}, {"type": "web_search_tool_result"}, {"type": 3})) == ()


def test_in_words_it_names_addresses_and_no_words_of_strangers() -> None:
    assert in_words(CALL) == "[The model service did by itself: web_search tokens]"
    assert in_words(result(PAGES)) == "[It got: https://a.example.com/, https://b.example.com/]"
    assert in_words(result({"error_code": "unavailable"})) == "[It got: unavailable]"
    assert in_words(result(None)) == "[It got: a result that is not shown]"
