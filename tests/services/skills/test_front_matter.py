"""Front matter is strings, lists and tables, read strictly; what is wrong is told with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.skills.values import Fault
from desktop.services.skills.front_matter import MAX_BYTES, FrontMatter, read_front_matter


def read(text: str) -> FrontMatter | Fault:
    return read_front_matter(text.encode(), "x/SKILL.md")


def values(text: str) -> dict[str, object]:
    found = read(f"---\n{text}\n---\nbody\n")
    assert isinstance(found, FrontMatter), str(found)
    return dict(found.values)


def test_values_lines_and_the_text_are_told() -> None:
    found = read("---\nname: a\n\nlist:\n  - b\n  - c\ntable: {d: e}\n---\n\n# Head\n\ntext\n")

    assert isinstance(found, FrontMatter)
    assert found.values == {"name": "a", "list": ("b", "c"), "table": {"d": "e"}}
    assert found.lines == {"name": 2, "list": 4, "table": 7}
    assert found.body == "# Head\n\ntext"


def test_every_plain_value_stays_the_text_that_it_is() -> None:
    assert values("a: 1\nb: yes\nc: null\nd:\ne: 2024-01-01\nf: 0x10") == {
        "a": "1",
        "b": "yes",
        "c": "null",
        "d": "",
        "e": "2024-01-01",
        "f": "0x10",
    }


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    found = read_front_matter(b"\xef\xbb\xbf---\r\nname: a\r\n---\r\nbody\r\n", "p")

    assert isinstance(found, FrontMatter)
    assert (found.values, found.body) == ({"name": "a"}, "body")


@pytest.mark.promise("memory-SK2")
def test_a_plain_value_with_a_colon_is_quoted_and_read_once_more() -> None:
    assert values('name: a\ndescription: Use when: it\'s a "test"') == {
        "name": "a",
        "description": 'Use when: it\'s a "test"',
    }
    assert values("description: Ends with:")["description"] == "Ends with:"


@pytest.mark.promise("memory-SK2")
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: !!str x", 3, "types (!)"),
        ("a: !!python/object/apply:os.system [ls]", 2, "types (!)"),
        ("a: &x 1\nb: 2", 2, "Names for values"),
        ("b: 1\na: *x", 3, "reference"),
        ("a: {b: {c: {d: {e: f}}}}", 2, "4 deep"),
        ("a: [[[[x]]]]", 2, "4 deep"),
        ("a: 1\na: 2", 3, "twice"),
        ("? [a]\n: b", 2, "must be a word"),
        ("- a", 2, "not a table"),
        ("just words", 2, "not a table"),
        ("", 2, "no keys"),
        ("a: [", 3, "YAML"),
        ("a:\n\tb: c", 3, "YAML"),
        ('a: "x\\0"', 2, "no text"),
        ("%YAML 1.1", 3, "YAML"),
        ("a: 1\n...\nb: 2", 4, "YAML"),
        ("a: 1\n--- \nb: 2", 0, ""),
        ("a: \x07", 2, "YAML"),
    ],
)
def test_more_of_yaml_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    found = read(f"---\n{text}\n---\nbody")

    if not words:  # it is the end of the front matter
        assert isinstance(found, FrontMatter)
        return
    assert isinstance(found, Fault)
    assert (found.path, found.line) == ("x/SKILL.md", line)
    assert words in found.text
    assert str(found).startswith(f"x/SKILL.md, line {line}: ")


def test_a_second_document_is_refused() -> None:
    found = read("---\na: 1\n--- {b: 2}\n---\nbody")

    assert isinstance(found, Fault)
    assert found.text == "A second document in it is not accepted."


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no matter", "does not begin"),
        (b"---\nname: a\n", "does not begin"),
        (b"", "does not begin"),
        (b"\xff---\n", "UTF-8"),
        (b"---\nname: a\n---\n" + b"x" * MAX_BYTES, "larger than 64 KiB"),
    ],
)
def test_what_is_no_such_file_is_told(content: bytes, words: str) -> None:
    found = read_front_matter(content, "p")

    assert isinstance(found, Fault)
    assert words in str(found)


@given(st.text(max_size=300))
def test_no_text_raises(text: str) -> None:
    content = f"---\n{text}\n---\n".encode("utf-8", "replace")

    assert isinstance(read_front_matter(content, "p"), FrontMatter | Fault)


@given(st.text(alphabet="ab:-[]{}&*!|>'\"# \n,?%", max_size=80))
def test_no_signs_of_yaml_raise(text: str) -> None:
    assert isinstance(read(f"---\n{text}\n---\n"), FrontMatter | Fault)
