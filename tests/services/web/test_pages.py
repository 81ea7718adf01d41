"""What a server answered becomes text: characters, pages as Markdown, characters that are not seen as tokens."""

import asyncio

import pytest

from desktop.services.web.pages import Page, decoded, is_text, page_of

ADDRESS = "https://docs.example.org/guide/start"


def page(html: str | bytes, media_type: str = "text/html", charset: str = "") -> Page:
    body = html.encode() if isinstance(html, str) else html
    return asyncio.run(page_of(body, media_type, charset, ADDRESS))


@pytest.mark.promise("guests-W3")
def test_a_page_becomes_markdown_without_what_is_not_seen() -> None:
    got = page(
        "<!doctype html><html><head><title> The &amp; guide\n</title><meta name=description content=BAD></head><body>"
        "<nav>BAD</nav><h1>Start</h1><div style='display:none'>BAD</div><p aria-hidden=true>BAD</p><!-- BAD -->"
        "<p style='color:#fff'>white</p><pre><code class='language-python'>x = 1\n</code></pre>"
        "<table><tr><th>a<th>b<tr><td>1<td>2</table><ul><li><a href=/rel?x=1>a link</a></ul>"
        "<img alt='a cat' src='data:image/png;base64,QkFE'></body></html>"
    )
    assert "BAD" not in got.text
    assert "# Start" in got.text
    assert "white" in got.text
    assert "```python\nx = 1\n```" in got.text
    assert "| 1 | 2 |" in got.text
    assert "[a link](https://docs.example.org/rel?x=1)" in got.text
    assert "base64" not in got.text
    assert got.title == "The & guide"
    assert got.removed_words == "1 comment, 2 hidden parts"


@pytest.mark.promise("guests-W3")
def test_characters_that_are_not_seen_become_tokens_but_where_people_write_with_them() -> None:
    got = page("<p>zero\u200bwidth and \u202eevil, \U000e0041tags; می\u200cخواهم and 👩\u200d💻</p>")
    assert got.text == "zero⟦U+200B⟧width and ⟦U+202E⟧evil, ⟦U+E0041⟧tags; می\u200cخواهم and 👩\u200d💻"
    assert got.removed_words == "3 characters that are not seen"
    assert page("a\u2060b", "text/plain").text == "a⟦U+2060⟧b"


def test_comments_that_a_page_writes_with_entities_are_taken_out_after_it() -> None:
    got = page("<p>a &lt;!-- BAD --&gt; b</p>")
    assert "BAD" not in got.text
    assert got.removed_words == "1 comment"


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        ("grün".encode(), "", "grün"),
        ("grün".encode("latin-1"), "iso-8859-1", "grün"),
        ("grün".encode("latin-1"), "utf-8", "gr\ufffdn"),
        (b"<meta charset='windows-1252'>gr\xfcn \x80", "", "<meta charset='windows-1252'>grün €"),
        (b"<?xml version='1.0' encoding='iso-8859-1'?>gr\xfcn", "", "<?xml version='1.0' encoding='iso-8859-1'?>grün"),
        (b"\xef\xbb\xbfgr\xc3\xbcn", "iso-8859-1", "grün"),
        ("\ufeffgrün".encode("utf-16-le"), "", "grün"),
        ("\ufeffgrün".encode("utf-16-be"), "utf-8", "grün"),
        (b"abc", "no-such-charset", "abc"),
        (b"YWJj", "base64", "YWJj"),
        (b"abc", "unicode_escape\x00", "abc"),
        ("日本".encode("shift_jis"), "Shift_JIS", "日本"),
    ],
)
def test_characters_are_read_by_mark_header_page_and_else_utf_8(body: bytes, charset: str, text: str) -> None:
    assert decoded(body, charset) == text


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("text/html", True),
        ("text/plain", True),
        ("text/markdown", True),
        ("application/json", True),
        ("application/ld+json", True),
        ("application/atom+xml", True),
        ("application/xhtml+xml", True),
        ("application/pdf", False),
        ("application/zip", False),
        ("image/png", False),
        ("video/mp4", False),
        ("application/octet-stream", False),
        ("", False),
        ("text/html/x", False),
    ],
)
def test_text_json_and_xml_are_text_and_nothing_else(media_type: str, expected: bool) -> None:
    assert is_text(media_type) is expected


def test_json_and_plain_text_stay_as_they_are() -> None:
    assert page('{"a": "<b>"}', "application/json").text == '{"a": "<b>"}'
    assert page("a < b\r\nc\rd", "text/plain").text == "a < b\nc\nd"
    assert page("<!doctype html><p hidden>BAD</p>ok", "text/plain").text == "ok"


def test_a_page_of_5_mb_and_one_that_is_nested_3000_deep_are_read() -> None:
    long = page("<p>line</p>" * 450_000)
    assert long.text.count("line") == 450_000
    assert "inner" in page("<div>" * 3_000 + "inner" + "</div>" * 3_000).text


def test_a_page_that_takes_too_long_is_read_without_its_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop.services.web.pages.SECONDS", -1.0)
    got = page("<script>BAD</script><!-- BAD --><p>a &amp; b</p>" + "<b>c</b>" * 3_000)
    assert got.plain
    assert "BAD" not in got.text
    assert got.text.split()[:3] == ["a", "&", "b"]
