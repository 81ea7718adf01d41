"""SGR sequences: the colours and weights that a program asks for, in one table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.terminals.looks import PLAIN, Look, restyled
from desktop.domain.terminals.updates import BOLD, FAINT, HIDDEN, ITALIC, REVERSED, RGB, STRUCK, UNDERLINED

ALL = BOLD | FAINT | ITALIC | UNDERLINED | REVERSED | HIDDEN | STRUCK


@pytest.mark.parametrize(
    ("before", "codes", "after"),
    [
        (PLAIN, "1", (-1, -1, BOLD)),
        (PLAIN, "2;3;4;7", (-1, -1, FAINT | ITALIC | UNDERLINED | REVERSED)),
        (PLAIN, "8;9;21", (-1, -1, HIDDEN | STRUCK | UNDERLINED)),
        ((-1, -1, ALL), "22", (-1, -1, ALL & ~BOLD & ~FAINT)),
        ((-1, -1, ALL), "23;24;27;28;29", (-1, -1, BOLD | FAINT)),
        (PLAIN, "4:3", (-1, -1, UNDERLINED)),
        ((-1, -1, UNDERLINED), "4:0", PLAIN),
        (PLAIN, "31;42", (1, 2, 0)),
        (PLAIN, "94;107", (12, 15, 0)),
        ((1, 2, BOLD), "39", (-1, 2, BOLD)),
        ((1, 2, BOLD), "49", (1, -1, BOLD)),
        ((1, 2, BOLD), "", PLAIN),
        ((1, 2, BOLD), "0", PLAIN),
        ((1, 2, BOLD), "0;31", (1, -1, 0)),
        ((1, 2, BOLD), ";31", (1, -1, 0)),
        (PLAIN, "38;5;200", (200, -1, 0)),
        (PLAIN, "48;5;999;1", (-1, 255, BOLD)),
        (PLAIN, "38;2;1;2;3;4", (RGB + 0x010203, -1, UNDERLINED)),
        (PLAIN, "48;2;256;0;999", (-1, RGB + 0xFF00FF, 0)),
        (PLAIN, "38:5:7", (7, -1, 0)),
        (PLAIN, "48:2:1:2:3", (-1, RGB + 0x010203, 0)),
        (PLAIN, "38:2::9:8:7;95", (13, -1, 0)),
        (PLAIN, "38:2::9:8:7", (RGB + 0x090807, -1, 0)),
        ((1, 2, 0), "38;9", (1, 2, 0)),
        ((1, 2, 0), "38", (1, 2, 0)),
        ((1, 2, 0), "38;5", (1, 2, 0)),
        ((1, 2, 0), "48:9:1", (1, 2, 0)),
        ((1, 2, 0), "38:5", (1, 2, 0)),
        ((1, 2, 0), "99;123456789", PLAIN),
        ((1, 2, 0), "53", (1, 2, 0)),
    ],
)
def test_codes_become_looks(before: Look, codes: str, after: Look) -> None:
    assert restyled(before, codes) == after


def test_codes_behind_the_first_32_are_left_out() -> None:
    assert restyled(PLAIN, ";".join(["1"] * 32 + ["4"])) == (-1, -1, BOLD)


@given(st.text(alphabet="0123456789;:", max_size=60))
def test_any_parameters_give_a_look(codes: str) -> None:
    foreground, background, bits = restyled(PLAIN, codes)
    assert all(-1 <= color < 256 or RGB <= color <= RGB + 0xFFFFFF for color in (foreground, background))
    assert 0 <= bits <= ALL
