"""Lines of a diff as they are painted, what differs within them, and the rows they stand in."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.changes.values import DiffHunk, DiffLine
from desktop.ui.changes.diff.rows import FieldPlace, build_rows, hidden_before, may_go_on
from desktop.ui.changes.diff.shown import MOST_CHARS, shown_line
from desktop.ui.changes.diff.word_marks import block_marks, blocks_of, changed_spans, pairs
from desktop.ui.changes.picks import Picks, changed_keys, picked_lines
from desktop.ui.models.line_key import LineKey
from desktop.ui.text.diff_lines import file_diff
from tests.ui.review_place import changed, comment, diff


def shown(text, ends="\n", **options):
    return shown_line(DiffLine("+", 0, 1, text, ends), **options)


@pytest.mark.parametrize(
    ("text", "painted"),
    [
        ("return x", "return x"),
        ("\ta\tb", "→   a→  b"),
        ("x = 1  ", "x = 1··"),
        ("   ", "···"),
        ("a\u202eb", "a⟦U+202E⟧b"),
        ("\ufeffa", "⟦U+FEFF⟧a"),
        ("a\rb", "a⟦U+000D⟧b"),
        ("a" + " " * 40 + "b", "a" + " " * 40 + "b"),
        ("a" + " " * 61 + "b", "a⟦61 blanks⟧b"),
        ("⟦U+202E⟧", "⟦U+27E6⟧U+202E⟦U+27E7⟧"),
        ("schön 好", "schön 好"),
    ],
)
def test_what_would_not_be_seen_is_painted(text, painted):
    assert shown(text).text == painted


def test_line_ends_are_marked_where_they_matter():
    assert shown("a", "").text == "a⟦no line end⟧"
    assert shown("a", "\r\n").text == "a"
    assert shown("a", "\r\n", mark_end=True).text == "a⟦CR LF⟧"
    assert shown("a", "\n", mark_end=True).text == "a⟦LF⟧"


def test_of_a_very_long_line_the_rest_is_counted():
    made = shown("x" * (MOST_CHARS + 7))
    assert made.text.endswith("x⟦7 characters more⟧")
    assert made.origin(len(made.text), after=True) == MOST_CHARS + 7


def test_a_name_that_mixes_scripts_is_marked():
    assert "marked" in [look for _start, _length, look in shown("раypal = 1").looks]


@settings(max_examples=60)
@given(st.text(alphabet=st.sampled_from("ab \t\u202e\u0301é⟦好\r"), max_size=30))
def test_every_character_knows_where_it_is_painted_and_back(text):
    made = shown(text)
    for at in range(len(text)):
        assert made.origin(made.place(at)) == at
    assert made.origin(0) == 0
    assert made.origin(len(made.text), after=True) == len(text)


def words(text, spans):
    return [text[start : start + length] for start, length in spans]


def test_words_that_differ_are_found_on_both_sides():
    old, new = "    target = request.url", "    target = strip(request.url)"
    removed, added = changed_spans(old, new)
    assert (words(old, removed), words(new, added)) == ([], ["strip(", ")"])
    assert changed_spans("same", "same") == ((), ())
    old, new = "a b c d", "a x y d"
    assert [words(line, part) for line, part in zip((old, new), changed_spans(old, new), strict=True)] == [
        ["b c"],
        ["x y"],
    ]


def test_lines_are_paired_in_order_when_they_are_alike():
    assert pairs(["return one", "x = 2"], ["y = 7 + z", "return two", "x = 3"]) == [(0, 1), (1, 2)]
    assert pairs(["alpha beta"], ["gamma delta"]) == []
    assert pairs(["a" * 1_001], ["a" * 1_001]) == []
    many = [f"value_{n} = {n}" for n in range(60)]
    assert pairs(many, many) == [(n, n) for n in range(60)]


def block(old, new):
    lines = [DiffLine("-", n + 1, 0, text) for n, text in enumerate(old)]
    lines += [DiffLine("+", 0, n + 1, text) for n, text in enumerate(new)]
    return DiffHunk(1, 1, "", tuple(lines))


def test_blocks_over_200_lines_are_not_refined():
    hunk = block([f"a {n}" for n in range(101)], [f"b {n}" for n in range(100)])
    (found,) = blocks_of(hunk)
    assert not found.refined
    assert block_marks(hunk, found) == {}
    hunk = block(["one two three"], ["one four three"])
    assert block_marks(hunk, blocks_of(hunk)[0]) == {0: ((4, 3),), 1: ((4, 4),)}


def kinds(rows):
    return [row.kind[0] for row in rows]


def test_one_column_has_a_row_for_each_line_and_two_columns_pair_them():
    made = diff()
    single = build_rows(made, split=False)
    assert "".join(kinds(single)) == "hllllllllhlllllt"
    double = build_rows(made, split=True)
    assert [(row.left, row.right) for row in double if row.hunk == 0][1:6] == [(0, 0), (1, 1), (2, 3), (-1, 4), (5, 5)]


def test_comments_stand_under_their_last_line_and_strays_on_top():
    made = diff()
    comments = (comment("a", first=2, last=3), comment("b", side="old", first=3, last=3), comment("c", outdated=True),
                comment("d", first=400, last=400), comment("e", first=3, last=3))  # fmt: skip
    rows = build_rows(made, split=False, comments=comments, field=FieldPlace("new", 4, 4), strays=("e",))
    found = [row.comment_id or row.kind for row in rows if row.kind in ("comment", "field")]
    assert found == ["c", "e", "d", "b", "a", "field"]
    at = next(n for n, row in enumerate(rows) if row.comment_id == "a")
    assert made.hunks[0].lines[rows[at - 1].right].new == 3


def test_hidden_lines_are_counted():
    made = diff()
    assert [hidden_before(made, n) for n in range(2)] == [0, 2]
    assert not may_go_on(made, 3)
    longer = "".join(f"{n}\n" for n in range(30))
    assert may_go_on(diff(before=longer, after=longer.replace("5\n", "five\n", 1)), 3)


def test_picks_name_whole_hunks_as_such_and_other_lines_one_by_one():
    made = diff()
    keys = changed_keys(made)
    assert picked_lines(made, set(keys)).hunks == (0, 1)
    some = picked_lines(made, set(keys[3:]))
    assert (some.hunks, some.lines, some.sha256) == ((1,), (), made.sha256)
    assert picked_lines(made, {keys[0]}).lines == ((0, 2),)
    assert picked_lines(made, {LineKey("+", 0, 999)}) is None


def test_a_file_is_ticked_in_part_and_a_change_of_it_takes_the_ticks_away():
    made, picks = diff(), Picks()
    file = changed(made.path, made)
    keys = changed_keys(made)
    picks.set_lines(file, made, keys[:1], False)
    assert picks.state(file) == 1
    assert not picks.is_ticked(file, keys[0])
    picks.set_lines(file, made, keys[:1], True)
    assert picks.state(file) == 2
    picks.set_lines(file, made, keys[1:], False)
    assert picks.follow([file.model_copy(update={"sha256": "0" * 64})]) == [file.path]
    assert picks.state(file) == 0
    assert picks.picked([file]) == ()


def test_conflicts_and_very_large_files_are_not_ticked_by_themselves():
    picks = Picks()
    large = changed("a.bin", size_after=60_000_000)
    assert picks.state(large) == 0
    picks.set_file("a.bin", True)
    assert picks.state(large) == 2
    assert picks.state(changed("b.py", status="conflicted")) == 0


def test_a_unified_diff_becomes_a_diff_of_a_file():
    text = "old mode 100644\nnew mode 100755\n@@ -4,2 +4,2 @@ def f\n keep\n--- a\n+new\n\\ No newline at end of file\n"
    made = file_diff("a.py", text)
    assert made.note == "old mode 100644\nnew mode 100755"
    (hunk,) = made.hunks
    assert (hunk.old_start, hunk.new_start, hunk.heading) == (4, 4, "def f")
    assert hunk.lines == (
        DiffLine(" ", 4, 4, "keep"), DiffLine("-", 5, 0, "-- a"), DiffLine("+", 0, 5, "new", ""),
    )  # fmt: skip
    assert file_diff("a.py", "").hunks == ()


def test_plain_stretches_of_a_line_are_one_piece_however_long():
    made = shown("value = [" + ", ".join(f"'{n}'" for n in range(250)) + "]\t# end ")
    assert len(made.pieces) == 4
    assert made.text.endswith("# end·")
