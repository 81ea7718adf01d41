"""Which links may be followed, and which say another address."""

import pytest

from desktop.domain.display.links import disguised_hosts, foreign_scheme, is_safe_link, says_another_address


@pytest.mark.parametrize(
    ("target", "safe"),
    [("https://a.b/c", True), ("http://a", True), ("mailto:a@b", True), ("src/a.py", False), ("file:///etc", False),
     ("javascript:1", False), ("//host/x", False), ("data:text/html,x", False), ("", False), ("http://[", False),
     ("https://a\u202eb", False), ("java\nscript:1", False), ("https://a b", False)],
)  # fmt: skip
def test_only_addresses_are_links(target, safe):
    assert is_safe_link(target) is safe


@pytest.mark.parametrize(
    ("target", "scheme"),
    [("javascript:1", "javascript"), ("banksman://x", "banksman"), ("java\tscript:1", "javascript"), ("a/b", ""),
     ("C:\\x", ""), ("https://a", ""), ("std::string", ""), ("ht\u200btps://a", "https")],
)  # fmt: skip
def test_schemes_that_are_no_links_are_named(target, scheme):
    assert foreign_scheme(target) == scheme


@pytest.mark.parametrize(
    ("text", "target", "differs"),
    [
        ("https://github.com/a", "https://evil.example/b", True), ("github.com", "https://github.com/x", False),
        ("github.com/y", "https://github.com/x", True), ("README.md", "https://github.com/x", False),
        ("x.md/y", "https://github.com/x", False), ("paypal.com", "https://evil.example", True),
        ("docs", "https://x.y", False), ("a@b.c", "mailto:a@b.c", False), ("a@b.co", "mailto:a@c.co", True),
        ("a@b.co", "https://b.co", True), ("https://x.com", "https://x.com/", False),
        ("https://x.com?a=b", "https://x.com?a=c", True), ("https://x.com#a", "https://x.com#b", True),
        ("Node.js", "https://nodejs.org", False), ("see https://x.com.", "https://x.com", False),
        ("http://x.com", "https://x.com", False), ("https://x.com", "http://x.com", True),
        ("v1.2.3", "https://x", False),
        ("example.com:80", "https://example.com", True), ("www.a.com", "https://a.com", False),
        ("https://x.com", "https://u@x.com", False), ("ｇithub.com", "https://evil.example", True),
        ("git\u200bhub.com", "https://evil.example", True), ("https://[", "https://x.com", False),
        ("x.com", "http://[", True), ("127.0.0.1:80", "http://127.0.0.1:80/x", False),
        ("localhost", "https://evil.example", True), ("localhost:1", "http://localhost:2", True),
    ],
)  # fmt: skip
def test_a_text_that_reads_as_an_address_is_compared(text, target, differs):
    assert says_another_address(text, target) is differs


@pytest.mark.parametrize("word", ["a", "a.", "http", "中", "a@"])
def test_a_link_text_of_any_length_is_judged_at_once(word):
    text = word * 200_000
    assert not says_another_address(text, "https://x.y")
    assert disguised_hosts(text) == ()


def test_a_user_in_an_address_that_reads_as_a_host_is_told():
    said = disguised_hosts("see https://bank.com@evil.example/x and https://me@evil.example and ftp://bank.com:1@a.b")
    assert [line.partition(":")[0] for line in said] == [
        "This address leads to evil.example", "This address leads to a.b",
    ]  # fmt: skip
    assert all("“bank.com” before the @ is only a user's name." in line for line in said)
