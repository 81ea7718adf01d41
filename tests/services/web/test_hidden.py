"""What readers of a page do not see is taken out before a model reads it."""

import time

import pytest

from desktop.services.web.hidden import TooSlow, visible_part

pytestmark = pytest.mark.promise("guests-W3")


def left(html: str) -> str:
    return visible_part(html, time.monotonic() + 5).html


@pytest.mark.parametrize(
    "part",
    [
        "<!-- BAD -->",
        "<!-- BAD > -- >BAD-->",
        "<script>BAD</script>",
        "<SCRIPT type=x><!-- BAD</SCRIPT >",
        "<script>if (a < '</div>') BAD</script>",
        "<style>BAD</style>",
        "<form action=x>BAD<input value=BAD></form>",
        "<template>BAD</template>",
        "<noscript>BAD</noscript>",
        "<svg><text>BAD</text></svg>",
        "<div hidden>BAD</div>",
        "<div HIDDEN=''>BAD</div>",
        "<div hidden=until-found>BAD<div>BAD</div>BAD</div>",
        "<p hidden>BAD<p>",
        "<div class='a > b' hidden>BAD</div>",
        "<div title=it's hidden>BAD</div>",
        "<span aria-hidden=true>BAD</span>",
        '<span aria-hidden = " TRUE ">BAD</span>',
        "<div style='display:none'>BAD</div>",
        "<div style='color:red; DISPLAY : none !important'>BAD</div>",
        "<div style='display:/**/none'>BAD</div>",
        "<div style='visibility:hidden'>BAD</div>",
        "<input type=hidden value=BAD>",
        "<li hidden>BAD<li>",
        "<div hidden>BAD<!-- </div> -->BAD</div>",
        """<div hidden><i title="</div>">BAD</i></div>""",
        "<div hidden><script>'</div>'</script>BAD</div>",
        "<div hidden><textarea></div></textarea>BAD</div>",
        "<li hidden><ul><li>BAD</ul></li>",
        "<table><tr><td hidden><table><tr><td>BAD</table></td></table>",
        "<div aria-hidden='tru&#101;'>BAD</div>",
        "<div style='display&colon;none'>BAD</div>",
        "<div style='d\\69splay:none'>BAD</div>",
        "<div style='display:\\6e one'>BAD</div>",
        "<textarea>BAD</textarea>",
        "<datalist><option>BAD</datalist>",
        "<noframes>BAD</noframes>",
        "<noembed>BAD</noembed>",
        "<audio>BAD</audio>",
        "<video>BAD</video>",
        "<div popover>BAD</div>",
    ],
)
def test_it_is_gone_and_its_neighbours_are_not(part: str) -> None:
    html = left(f"<p>before</p>{part}<p>after</p>")
    assert "BAD" not in html
    assert "before" in html
    assert "after" in html


@pytest.mark.parametrize(
    "part",
    [
        "<p style='color:#fff'>white</p>",
        "<p style='font-size:1px'>small</p>",
        "<p title='hidden'>titled</p>",
        "<p aria-hidden=false>said</p>",
        "<p class=hidden>classed</p>",
        "<p data-x='display:none'>x</p>",
        "a < b and c > d",
        "<br hidden>next",
    ],
)
def test_what_proves_nothing_stays(part: str) -> None:
    html = left(part)
    assert html == part or html == "next"


def test_what_was_taken_out_is_counted_by_kind() -> None:
    page = "<!--a--><!--b--><script>x</script><p hidden>y</p><p aria-hidden=true>z</p><form></form>"
    assert visible_part(page, time.monotonic() + 5).removed == {
        "comments": 2,
        "scripts": 1,
        "hidden parts": 2,
        "forms": 1,
    }


@pytest.mark.parametrize("end", ["<!-- BAD", "<script>BAD", "<div hidden>BAD", "<div hidden>BAD<div", "<div hidden"])
def test_a_page_that_ends_within_it_ends_there(end: str) -> None:
    assert "BAD" not in left(f"<p>before</p>{end}")


@pytest.mark.parametrize(
    "page",
    [
        "<a " * 400_000 + '"',
        "<" * 1_000_000,
        "<!--" * 300_000,
        "<a =" * 300_000,
        "<div hidden>" * 100_000,
        "='" * 500_000,
    ],
)
def test_a_page_made_to_be_slow_is_read_at_once(page: str) -> None:
    began = time.process_time()
    visible_part(page, time.monotonic() + 60)
    assert time.process_time() - began < 20


def test_reading_ends_when_its_time_is_over() -> None:
    with pytest.raises(TooSlow):
        visible_part("<b>x</b>" * 5_000, time.monotonic() - 1)
    with pytest.raises(TooSlow):
        visible_part("<div hidden>" + "<div></div>" * 5_000, time.monotonic() - 1)
