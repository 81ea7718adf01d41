"""edit_file over real files."""

import pytest

from desktop.domain.core.content import DiffBlock
from desktop.tools.tool import ToolError

pytestmark = pytest.mark.asyncio


async def edit(bench, content: str | bytes, old: str, new: str, **more):
    bench.write("a.txt", content)
    await bench.call("read_file", file_path="a.txt")
    return await bench.call("edit_file", file_path="a.txt", old_string=old, new_string=new, **more)


async def refused(bench, content: str | bytes, old: str, new: str, **more) -> str:
    with pytest.raises(ToolError) as caught:
        await edit(bench, content, old, new, **more)
    raw = content if isinstance(content, bytes) else content.encode()
    assert (bench.root / "a.txt").read_bytes() == raw
    return str(caught.value)


@pytest.mark.parametrize("new", ["$&", r"\1", r"\g<0>", "%s", "{0}"])
async def test_the_new_text_is_stored_literally(bench, new: str) -> None:
    await edit(bench, "a (b) c\n", "(b)", new)
    assert (bench.root / "a.txt").read_text() == f"a {new} c\n"


async def test_the_result_counts_and_shows_the_place(bench) -> None:
    lines = "".join(f"line {n}\n" for n in range(1, 40))
    result = await edit(bench, lines, "line 20\n", "twenty\nand more\n")
    assert result.text.splitlines()[0] == "Edited a.txt: 1 replacement (+2 −1)."
    assert "    20\ttwenty" in result.text
    assert len(result.text.splitlines()) == 13
    (block,) = result.blocks
    assert isinstance(block, DiffBlock)
    assert block.unified.startswith("@@ -17,7 +17,8 @@\n line 17\n")
    assert result.summary == "+2 −1"


async def test_equal_texts_missing_text_and_several_places_are_refused(bench) -> None:
    assert await refused(bench, "x\n", "x", "x") == "The new text equals the old text."
    assert await refused(bench, "def total(items):\n", "def totals(item):", "y") == (
        "The text was not found in a.txt. Closest: line 1: def total(items):"
    )
    assert await refused(bench, "x\n", "completely other", "y") == "The text was not found in a.txt."
    assert await refused(bench, "aaa", "aa", "b") == (
        "The text occurs 2 times in a.txt (lines 1, 1). Add context or set replace_all."
    )


async def test_replace_all_takes_places_from_the_left_without_overlap(bench) -> None:
    result = await edit(bench, "x\nx\nx\n", "x", "y", replace_all=True)
    assert "3 replacements (+3 −3)" in result.text
    await edit(bench, "aaaa", "aa", "b", replace_all=True)
    assert (bench.root / "a.txt").read_text() == "bb"


async def test_lf_text_is_found_in_a_crlf_file_and_stays_crlf(bench) -> None:
    await edit(bench, b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2\n2b")
    assert (bench.root / "a.txt").read_bytes() == b"1\r\n2\r\n2b\r\nthree\r\n"


@pytest.mark.promise("tools-T70")
async def test_in_a_file_of_mixed_ends_only_the_replaced_range_differs(bench) -> None:
    await edit(bench, b"one\r\ntwo\nthree\r\nfour", "two\nthree", "2\n3")
    assert (bench.root / "a.txt").read_bytes() == b"one\r\n2\n3\r\nfour"
    await edit(bench, b"one\r\ntwo\nthree", "one\ntwo", "1\n2")
    assert (bench.root / "a.txt").read_bytes() == b"1\r\n2\nthree"


@pytest.mark.parametrize("raw", ["ä\nb".encode("utf-16"), b"\xef\xbb\xbf\xc3\xa4\nb", b"\xe4\nb"])
async def test_encoding_mark_and_missing_newline_are_kept(bench, raw: bytes) -> None:
    await edit(bench, raw, "b", "c")
    assert (bench.root / "a.txt").read_bytes() == raw.replace(b"b", b"c")


async def test_a_second_edit_needs_no_new_read(bench) -> None:
    await edit(bench, "a b\n", "a", "x")
    await bench.call("edit_file", file_path="a.txt", old_string="b", new_string="y")
    assert (bench.root / "a.txt").read_text() == "x y\n"


async def test_unread_changed_missing_and_binary_files_are_refused(bench) -> None:
    bench.write("u.txt", "a")
    for path, words in (("u.txt", "Read u.txt before you edit it."), ("no.txt", "Use write_file to create it.")):
        with pytest.raises(ToolError, match=words):
            await bench.call("edit_file", file_path=path, old_string="a", new_string="b")
    await bench.call("read_file", file_path="u.txt")
    bench.write("u.txt", "changed")
    with pytest.raises(ToolError, match="changed on disk"):
        await bench.call("edit_file", file_path="u.txt", old_string="a", new_string="b")
    assert (bench.root / "u.txt").read_text() == "changed"


async def test_the_card_shows_the_change_before_it_is_made(registry) -> None:
    tool = registry.resolve("edit_file")
    card = tool.card(tool.args(file_path="a.py", old_string="x = 1\n", new_string="x = 2\n"))
    assert card.title == "Edit a.py"
    assert card.blocks == (DiffBlock(path="a.py", unified="@@ -1 +1 @@\n-x = 1\n+x = 2\n", added=1, removed=1),)
