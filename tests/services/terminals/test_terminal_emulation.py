"""What programs print, as a terminal shows it: the sequences of xterm that shells and full-screen programs use."""

from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.terminals.updates import BOLD, RGB, UNDERLINED, WRAPPED, Row, row_text
from desktop.services.terminals.codes import TerminalCodes
from desktop.services.terminals.screen import SCROLL_BACK, Screen
from desktop.services.terminals.wrapping import wrap_anew


def shown(printed: str | bytes, columns: int = 10, rows: int = 4) -> TerminalCodes:
    codes = TerminalCodes(Screen(columns, rows))
    codes.feed(printed.encode() if isinstance(printed, str) else printed)
    return codes


def rows_of(codes: TerminalCodes) -> list[str]:
    return [row_text(line.row()) for line in codes.screen.lines]


def back(codes: TerminalCodes) -> list[str]:
    return [row_text(row) for row in codes.screen.scrolled]


@pytest.mark.parametrize(
    ("printed", "rows"),
    [
        ("one\r\ntwo", ["one", "two", "", ""]),
        ("one\rO", ["One", "", "", ""]),
        ("abc\b\bX", ["aXc", "", "", ""]),
        ("a\tb", ["a       b", "", "", ""]),
        ("0123456789ab", ["0123456789", "ab", "", ""]),
        ("0123456789\r\nab", ["0123456789", "ab", "", ""]),
        ("\x1b[?7l0123456789ab", ["012345678b", "", "", ""]),
        ("\x1b[2;3Hx\x1b[Ay\x1b[2Dz", ["  zy", "  x", "", ""]),
        ("abcdef\x1b[3G\x1b[K", ["ab", "", "", ""]),
        ("abcdef\x1b[3G\x1b[1K", ["   def", "", "", ""]),
        ("a\r\nb\r\nc\x1b[2;1H\x1b[J", ["a", "", "", ""]),
        ("a\r\nb\r\nc\x1b[2;1H\x1b[1J", ["", "", "c", ""]),
        ("abcdef\x1b[2G\x1b[2P", ["adef", "", "", ""]),
        ("abcdef\x1b[2G\x1b[2@", ["a  bcdef", "", "", ""]),
        ("abcdef\x1b[2G\x1b[2X", ["a  def", "", "", ""]),
        ("abc\x1b[4h\x1b[1GX\x1b[4l", ["Xabc", "", "", ""]),
        ("a\r\nb\r\nc\x1b[1;1H\x1b[L", ["", "a", "b", "c"]),
        ("a\r\nb\r\nc\x1b[1;1H\x1b[M", ["b", "c", "", ""]),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1H\nX", ["a", "c", "X", "d"]),
        ("a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[2;1H\x1bMX", ["a", "X", "b", "d"]),
        ("a\x1b7\x1b[3;3Hb\x1b8c", ["ac", "", "  b", ""]),
        ("ab\x1b[3b", ["abbbb", "", "", ""]),
        ("\x1b(0lqk\x1b(Bq", ["┌─┐q", "", "", ""]),
        ("漢字かな文x", ["漢字かな文", "x", "", ""]),
        ("123456789漢", ["123456789", "漢", "", ""]),
        ("漢\x1b[2Gx", [" x", "", "", ""]),
        ("e\u0301a", ["e\u0301a", "", "", ""]),
        ("a\u202eb\u200dc", ["ab\u200dc", "", "", ""]),
        ("\x1b[1;1H\x1b#8\x1b[2;1H\x1b[2K", ["EEEEEEEEEE", "", "EEEEEEEEEE", "EEEEEEEEEE"]),
        ("x\x1bcy", ["y", "", "", ""]),
        ("\x1b[6n\x1b[?1;2;99$y\x1b[>4;2mok", ["ok", "", "", ""]),
    ],
)  # fmt: skip
def test_a_sequence_does_what_xterm_does(printed: str, rows: list[str]) -> None:
    assert rows_of(shown(printed)) == rows


def test_lines_that_leave_at_the_top_go_to_the_scroll_back_and_not_from_the_second_screen() -> None:
    codes = shown("1\r\n2\r\n3\r\n4\r\n5\r\n6")
    assert (back(codes), rows_of(codes)) == (["1", "2"], ["3", "4", "5", "6"])
    codes.feed(b"\x1b[?1049h\x1b[H1\r\n2\r\n3\r\n4\r\n5")
    assert codes.screen.alternate
    codes.feed(b"\x1b[?1049l!")
    assert (back(codes), rows_of(codes)) == (["1", "2"], ["3", "4", "5", "6!"])


def test_colours_and_weights_become_spans() -> None:
    codes = shown("\x1b[1;31mr\x1b[0m \x1b[38;5;200mp\x1b[48;2;1;2;3mq\x1b[m\x1b[4:0;38:2::9:8:7;95mz\x1b[4my", 20)
    row = codes.screen.lines[0].row()
    assert row == (
        ("r", 1, -1, BOLD), (" ", -1, -1, 0), ("p", 200, -1, 0), ("q", 200, RGB + 0x010203, 0), ("z", 13, -1, 0),
        ("y", 13, -1, UNDERLINED),
    )  # fmt: skip


def test_erasing_takes_the_background_that_is_set() -> None:
    codes = shown("\x1b[44m\x1b[K\r\n\x1b[mx")
    assert codes.screen.lines[0].row() == ((" " * 10, -1, 4, 0),)


def test_a_wrapped_line_says_so_on_its_last_span() -> None:
    codes = shown("0123456789ab")
    assert codes.screen.lines[0].row()[-1][3] & WRAPPED
    assert not codes.screen.lines[1].row()[-1][3] & WRAPPED


def test_a_character_or_sequence_may_be_cut_by_a_read() -> None:
    whole = "\x1b[31mgrün漢\x1b]0;a title\x1b\\\x1b[2;2Hx".encode()
    codes = TerminalCodes(Screen(10, 4))
    for at in range(len(whole)):
        codes.feed(whole[at : at + 1])
    assert (rows_of(codes), codes.title) == (rows_of(shown(whole)), "a title")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(alphabet="ab \r\n\t\b", max_size=30),
            st.sampled_from(["\x1b[31m", "\x1b[m", "\x1b[2;5H", "漢", "é", "\x1b[?1049h", "\x1b[?1049l", "\x1b[2J",
                             "\x1b[2;3r", "\x1b[r", "\x1b[4h", "\x1b[?7l", "\x1b[5P", "line\r\n" * 9]),
            st.text(alphabet="\x1b[]?;0123456789hlmHJKLMPrABx\x07\\", max_size=12),
        ),
        max_size=20,
    ),
    st.integers(1, 7),
)  # fmt: skip
def test_however_it_is_cut_the_screen_is_the_same_and_nothing_grows_beyond_it(parts: list[str], size: int) -> None:
    raw = "".join(parts).encode()
    whole, cut = shown(raw), TerminalCodes(Screen(10, 4))
    for at in range(0, len(raw), size):
        cut.feed(raw[at : at + size])
    assert [line.row() for line in whole.screen.lines] == [line.row() for line in cut.screen.lines]
    assert (list(whole.screen.scrolled), vars(whole.screen.cursor)) == (
        list(cut.screen.scrolled),
        vars(cut.screen.cursor),
    )
    assert len(whole.screen.lines) == 4
    assert all(len(line.chars) == len(line.looks) <= 10 for line in whole.screen.lines)


def test_a_title_is_cut_at_sixty_characters_and_shows_what_would_be_hidden() -> None:
    codes = shown(f"\x1b]2;{'x' * 500}\x07")
    assert (len(codes.title), codes.title[-1]) == (60, "…")
    codes.feed("\x1b]0;ok\u202ecod.exe\x1b\\".encode())
    assert "\u202e" not in codes.title
    assert "U+202E" in codes.title
    codes.feed(b"\x1b]0;" + b"y" * 3_000_000)
    codes.feed(b"\x07after")
    assert rows_of(codes)[0] == "after"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("\x1b[6n", "\x1b[1;1R"), ("\x1b[5n", "\x1b[0n"), ("\x1b[c", "\x1b[?62;22c"), ("\x1b[>c", "\x1b[>1;10;0c"),
        ("\x1b]0;rm -rf ~\r\x07\x1b[21t", ""), ("\x1b]52;c;?\x07", ""), ("\x1b]52;c;cm0gLXJm\x07", ""),
        ("\x1b]4;1;?\x07", ""), ("\x1b]10;?\x07", ""), ("\x1bP$qm\x1b\\", ""), ("\x1b[?1;5c", ""), ("\x05", ""),
        ("\x1b]8;;https://example.org\x07here\x1b]8;;\x07", ""), ("\x1b[>q", ""), ("\x1b[x", ""), ("\x1b[?15n", ""),
        ("\x1bP+q544e\x1b\\", ""), ("\x1b_Ga=q;AAAA\x1b\\", ""),
    ],
)  # fmt: skip
def test_questions_get_fixed_answers_or_none(asked: str, answer: str) -> None:
    assert "".join(shown(asked, 40).replies) == answer


def test_a_smaller_screen_keeps_its_lines_above_and_the_cursor_inside() -> None:
    codes = shown("1\r\n2\r\n3\r\n4\r\n5", 20, 6)
    codes.screen.resize(30, 3)
    assert (back(codes), rows_of(codes)) == (["1", "2"], ["3", "4", "5"])
    codes.feed(b"!\x1b[9;99HX")
    assert rows_of(codes) == ["3", "4", "5!" + " " * 27 + "X"]
    codes.screen.resize(4, 5)
    codes.feed(b"\r\nhello")
    assert rows_of(codes)[-2:] == ["hell", "o"]


def wrapped(printed: str, columns: int, rows: int = 4) -> tuple[list[str], list[str], tuple[int, int]]:
    codes, history = shown(printed), deque[Row](maxlen=SCROLL_BACK)
    wrap_anew(codes.screen, history, columns, rows)
    codes.feed(b"|")
    cursor = codes.screen.cursor
    return [row_text(row) for row in history], rows_of(codes), (cursor.x, cursor.y)


def test_at_another_width_lines_are_wrapped_anew_and_the_cursor_stays_at_its_character() -> None:
    assert wrapped("0123456789ab", 6) == ([], ["012345", "6789ab", "|", ""], (1, 2))
    assert wrapped("0123456789ab", 20) == ([], ["0123456789ab|", "", "", ""], (13, 0))
    assert wrapped("0123456789", 20)[1][0] == "0123456789|"
    assert wrapped("0123456789", 5) == ([], ["01234", "56789", "|", ""], (1, 2))
    assert wrapped("one\r\n漢字かな", 5)[1] == ["one", "漢字", "かな|", ""]
    assert wrapped("a\r\n0123456789\r\n$ ", 4) == (["a"], ["0123", "4567", "89", "$ |"], (3, 3))
    assert wrapped("\x1b[44m\x1b[K\x1b[mx", 4)[1] == ["x|  ", "", "", ""], "a coloured rest of a line is no text"


def test_what_scrolled_away_is_wrapped_too_and_rows_are_found_again() -> None:
    codes, history = shown("0123456789ab\r\nc\r\nd\r\ne\r\nf"), deque[Row](maxlen=SCROLL_BACK)
    moved_to = wrap_anew(codes.screen, history, 4, 4)
    assert [row_text(row) for row in history] == ["0123", "4567", "89ab"]
    assert (rows_of(codes), codes.screen.moved) == (["c", "d", "e", "f"], 3)
    assert [moved_to(row) for row in range(6)] == [0, 2, 3, 4, 5, 6]
    wrap_anew(codes.screen, history, 30, 4)
    assert [row_text(row) for row in history] == ["0123456789ab"]


@given(st.text("ab 漢\n", max_size=80), st.lists(st.integers(2, 14), min_size=1, max_size=4))
def test_no_width_loses_text(printed: str, widths: list[int]) -> None:
    codes, history = shown(printed.replace("\n", "\r\n")), deque[Row](maxlen=SCROLL_BACK)
    for columns in widths:
        wrap_anew(codes.screen, history, columns, 4)
    rows = [*history, *codes.screen.scrolled, *(line.row() for line in codes.screen.lines)]
    assert "".join(map(row_text, rows)).replace(" ", "") == printed.replace(" ", "").replace("\n", "")


def test_modes_that_the_window_must_know_are_told() -> None:
    codes = shown("\x1b[?1h\x1b[?2004;1000;1006h\x1b[?25l\x1b=")
    assert codes.modes == {"application_cursor", "bracketed_paste", "mouse_click", "mouse_sgr"}
    assert not codes.cursor_shown
    codes.feed(b"\x1b[?1;2004l\x1b[?25h")
    assert codes.modes == {"mouse_click", "mouse_sgr"}
    assert codes.cursor_shown
