"""A comment follows its lines through edits, or says that they are gone; all of them make one message."""

import pytest

from desktop.domain.changes.values import ReviewComment
from desktop.services.changes.comment_message import comment_message
from desktop.services.changes.comment_places import lines_of, placed, quoting

TEXT = ["def a():", "    pass", "", "def b():", "    pass", "", "end"]


def comment(first: int, last: int, lines: list[str] | None = None, **more: object) -> ReviewComment:
    values = {"comment_id": "cmt_1", "path": "a.py", "first": first, "last": last, "text": "why?", **more}
    return quoting(ReviewComment.model_validate(values), lines or TEXT, "1")


def where(one: ReviewComment, lines: list[str] | None) -> tuple[int, int, bool]:
    found = placed(one, lines, "2")
    return found.first, found.last, found.outdated


def test_lines_are_found_where_they_moved_to() -> None:
    assert where(comment(4, 5), ["new", "new", *TEXT]) == (6, 7, False)
    assert where(comment(4, 5), TEXT[3:]) == (1, 2, False)


def test_equal_lines_are_told_apart_by_those_around_them() -> None:
    second = comment(5, 5)
    assert second.before == ("    pass", "", "def b():")
    assert where(second, ["def c():", "    pass", "", *TEXT]) == (8, 8, False)
    assert where(second, ["x", "    pass", "y", "z", "    pass", "w"]) == (5, 5, True)


def test_lines_that_are_gone_make_it_outdated_and_it_comes_back_with_them() -> None:
    one = comment(4, 4)
    gone = placed(one, ["nothing"], "2")
    assert (gone.outdated, gone.first) == (True, 4)
    assert where(gone, TEXT) == (4, 4, False)
    assert where(one, None) == (4, 4, True)
    assert where(one, []) == (4, 4, True)


def test_an_unchanged_file_is_not_searched() -> None:
    one = comment(5, 5)
    assert placed(one, [], "1") == one
    assert not placed(one.model_copy(update={"outdated": True}), [], "1").outdated


def test_lines_end_as_diffs_show_them() -> None:
    assert lines_of(b"a\r\nb\x0bc\nlast") == ["a", "b\x0bc", "last"]
    assert lines_of(b"") == []


@pytest.mark.promise("lanes-D16")
def test_the_message_lists_all_comments_by_file_and_line() -> None:
    drafts = [
        comment(7, 7, path="b.py", comment_id="3", text="rename\nit"),
        comment(4, 5, comment_id="2", text="keep the fragment."),
        comment(1, 1, comment_id="1", side="old", text="back", outdated=True),
    ]
    assert comment_message("fix-login", drafts, lambda one, line: line != 5) == (
        "Review comments on the changes in lane fix-login (3):\n"
        "1. a.py:1 (old, these lines are not there any more)\n"
        "   > -def a():\n"
        "   Comment: back\n"
        "2. a.py:4-5 (new)\n"
        "   > +def b():\n"
        "   >      pass\n"
        "   Comment: keep the fragment.\n"
        "3. b.py:7 (new)\n"
        "   > +end\n"
        "   Comment: rename\n"
        "   it\n"
        "Address each one. Say for each what you did."
    )
