"""write_file over real files."""

import stat
from pathlib import Path

import pytest

from desktop.domain.core.content import DiffBlock, TextBlock
from desktop.tools.tool import ToolError

pytestmark = pytest.mark.asyncio


async def refused(bench, path: str, content: str) -> str:
    with pytest.raises(ToolError) as caught:
        await bench.call("write_file", file_path=path, content=content)
    return str(caught.value)


async def test_a_new_file_is_created_with_its_folders_and_shown_as_a_diff(bench) -> None:
    result = await bench.call("write_file", file_path="src/new/a.py", content="x = 1\n")
    assert result.text == "Created src/new/a.py (1 line, 6 bytes)."
    assert (bench.root / "src/new/a.py").read_bytes() == b"x = 1\n"
    assert result.blocks == (DiffBlock(path="src/new/a.py", unified="@@ -0,0 +1 @@\n+x = 1\n", added=1, removed=0),)
    (touched,) = result.touched
    assert (touched.kind, touched.before_sha256, touched.added) == ("create", None, 1)


@pytest.mark.promise("tools-T65")
async def test_an_unread_file_is_not_replaced(bench) -> None:
    file = bench.write("a.py", "old\n")
    assert await refused(bench, "a.py", "new\n") == "Read a.py before you replace it."
    assert file.read_text() == "old\n"


@pytest.mark.promise("tools-T65")
async def test_a_file_that_changed_since_it_was_read_is_left_alone(bench) -> None:
    file = bench.write("a.py", "old\n")
    await bench.call("read_file", file_path="a.py")
    file.write_text("edited by a person\n")
    assert "a.py changed on disk since you read it (was " in await refused(bench, "a.py", "new\n")
    assert file.read_text() == "edited by a person\n"


async def test_a_read_file_is_replaced_and_may_be_replaced_again(bench) -> None:
    bench.write("a.py", "1\n2\n3\n")
    await bench.call("read_file", file_path="a.py")
    first = await bench.call("write_file", file_path="a.py", content="1\nzwei\n3\n")
    assert first.text == "Replaced a.py (+1 −1)."
    assert first.summary == "+1 −1"
    again = await bench.call("write_file", file_path="a.py", content="1\nzwei\n3\n")
    assert again.text == "a.py already has this content; nothing was written."
    assert again.touched == ()


async def test_mode_line_ends_and_mark_are_kept(bench) -> None:
    file = bench.write("run.sh", b"\xef\xbb\xbfa\r\nb\r\n")
    file.chmod(0o755)
    await bench.call("read_file", file_path="run.sh")
    result = await bench.call("write_file", file_path="run.sh", content="a\nc\n")
    assert file.read_bytes() == b"\xef\xbb\xbfa\r\nc\r\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o755
    assert "line ends kept as CRLF" in result.text


async def test_text_that_the_encoding_lacks_changes_nothing(bench) -> None:
    file = bench.write("l.txt", b"gr\xfc\xdfe\n")
    await bench.call("read_file", file_path="l.txt")
    assert "latin-1" in await refused(bench, "l.txt", "→\n")
    assert file.read_bytes() == b"gr\xfc\xdfe\n"


async def test_a_very_long_change_is_counted_instead_of_drawn(bench) -> None:
    result = await bench.call("write_file", file_path="big.txt", content="line\n" * 60_000)
    (block,) = result.blocks
    assert isinstance(block, TextBlock)
    assert "+60000 −0" in block.text


@pytest.mark.parametrize("path", [".git/config", ".GIT/config", "../x", "/etc/banksman-test"])
async def test_nothing_is_written_outside_or_to_git_even_without_the_gate(bench, path: str) -> None:
    await refused(bench, path, "x")
    assert not Path("/etc/banksman-test").exists()


async def test_no_temporary_file_stays(bench) -> None:
    await bench.call("write_file", file_path="a.txt", content="x")
    assert sorted(path.name for path in bench.root.iterdir()) == [".git", "a.txt"]
