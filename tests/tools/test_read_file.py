"""read_file over real files."""

import base64
import os
import socket
import struct
import zlib
from pathlib import Path

import pytest

from desktop.domain.core.content import CodeBlock, ImageBlock
from desktop.tools.tool import ToolError

pytestmark = pytest.mark.asyncio


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\0\0\0" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


async def refused(bench, path: str, **arguments) -> str:
    with pytest.raises(ToolError) as caught:
        await bench.call("read_file", file_path=path, **arguments)
    return str(caught.value)


async def test_offset_and_limit_show_these_lines_with_the_total(bench) -> None:
    bench.write("src/app.py", "a\nb\nc\nd\ne\n")
    result = await bench.call("read_file", file_path="src/app.py", offset=3, limit=2)
    assert result.text == (
        "src/app.py · lines 3-4 of 5 · utf-8 · LF\n     3\tc\n     4\td\n[lines 5-5 not shown; continue with offset=5]"
    )
    assert result.blocks == (CodeBlock(language="python", text="c\nd"),)
    assert result.summary == "2 lines"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"a\r\nb\r\n", "lines 1-2 of 2 · utf-8 · CRLF"),
        (b"a\r\nb\n", "utf-8 · mixed line ends"),
        (b"a\nb", "utf-8 · LF · no newline at end"),
        (b"\xef\xbb\xbfa\n", "utf-8 · LF · BOM"),
        ("ä\n".encode("utf-16"), "utf-16-le · LF · BOM"),
        (b"gr\xfc\xdfe\n", "decoded as latin-1 · LF"),
    ],
)
async def test_the_header_says_how_the_text_is_stored(bench, raw: bytes, words: str) -> None:
    bench.write("x.txt", raw)
    result = await bench.call("read_file", file_path="x.txt")
    assert words in result.text.splitlines()[0]


async def test_a_latin_1_text_is_decoded(bench) -> None:
    bench.write("x.txt", b"gr\xfc\xdfe\n")
    assert "grüße" in (await bench.call("read_file", file_path="x.txt")).text


async def test_an_empty_file_is_no_error_and_past_the_end_is(bench) -> None:
    bench.write("x.py", "")
    bench.write("y.py", "1\n" * 120)
    assert (await bench.call("read_file", file_path="x.py")).text == "x.py is empty (0 bytes)."
    assert await refused(bench, "y.py", offset=500) == "y.py has 120 lines; offset 500 is past the end."


async def test_long_files_stop_at_256_kib_and_long_lines_are_cut(bench) -> None:
    bench.write("long.txt", ("y" * 999 + "\n") * 1000)
    text = (await bench.call("read_file", file_path="long.txt")).text
    assert len(text) < 300_000
    assert text.endswith("[stopped at 256 KiB; continue with offset=263]")
    bench.write("wide.txt", "z" * 5_000 + "\nend\n")
    assert "…[+3000 characters]\n     2\tend" in (await bench.call("read_file", file_path="wide.txt")).text


async def test_the_start_of_a_huge_log_is_read_without_reading_it_all(bench) -> None:
    with (bench.root / "big.log").open("wb") as file:
        file.write(b"line\n" * 3000)
        file.truncate(300 * 1024 * 1024)
    result = await bench.call("read_file", file_path="big.log", offset=3, limit=2)
    assert result.text.splitlines()[0] == "big.log · lines 3-4 of more than 4 · utf-8 · LF"
    assert result.text.endswith("[more lines not shown; continue with offset=5]")
    assert "big.log" not in bench.context.reads.sha256


async def test_a_picture_is_told_by_its_signature(bench, store) -> None:
    raw = png(64, 48)
    bench.write("logo.txt", raw)
    result = await bench.call("read_file", file_path="logo.txt")
    assert result.text.startswith("logo.txt: PNG image, 64×48, ")
    assert base64.b64decode(result.images[0]["source"]["data"]) == raw
    (block,) = result.blocks
    assert isinstance(block, ImageBlock)
    assert store.blobs.get(block.blob.sha256) == raw


async def test_too_large_pictures_pdfs_and_binaries_are_refused_with_facts(bench) -> None:
    bench.write("wide.png", png(9_000, 1))
    assert "9000×1" in await refused(bench, "wide.png")
    bench.write("r.txt", b"%PDF-1.7\n" + b"x" * 2048)
    assert (await refused(bench, "r.txt")).startswith("r.txt is a PDF (2 KB). PDFs are not read.")
    bench.write("tool", b"\x7fELF\0\0\0")
    assert "binary (7 bytes, program, sha256 " in await refused(bench, "tool")


async def test_folders_and_missing_files_are_named(bench) -> None:
    bench.write("src/a.py", "")
    assert await refused(bench, "src") == "src is a directory; use list_dir."
    assert await refused(bench, "nope.py") == "nope.py does not exist."


@pytest.mark.promise("gate-P5")
async def test_pipes_and_sockets_are_refused_at_once(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(bench.root / "pipe")
    monkeypatch.chdir(bench.root)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("sock")
        for name in ("pipe", "sock"):
            assert await refused(bench, name) == f"{name} is not a regular file."
    await refused(bench, "/dev/zero")


@pytest.mark.parametrize("path", ["../x", "~/x", "$HOME/x", "file:///x", "a\x00b", "x" * 4000 + "/y"])
async def test_paths_that_lead_nowhere_read_nothing(bench, path: str) -> None:
    await refused(bench, path)
    assert not bench.context.reads.sha256


async def test_what_was_read_is_remembered_even_in_part(bench) -> None:
    bench.write("a.txt", "1\n2\n3\n")
    await bench.call("read_file", file_path="./a.txt", limit=1)
    assert list(bench.context.reads.sha256) == ["a.txt"]


async def test_a_blob_of_this_chat_is_paged_and_another_is_refused(bench, store) -> None:
    mine = store.blobs.put(b"one\ntwo\nthree\n", "text/plain")
    other = store.blobs.put(b"foreign", "text/plain")
    bench.knows(mine.sha256)
    result = await bench.call("read_file", file_path=f"blob:{mine.sha256[:12]}", offset=2, limit=1)
    assert "     2\ttwo" in result.text
    for name in (f"blob:{other.sha256[:12]}", "blob:", "blob:zz", f"blob:{mine.sha256}"):
        assert "in this chat" in await refused(bench, name)


async def test_a_blob_is_no_path_for_the_gate(registry) -> None:
    tool = registry.resolve("read_file")
    assert tool.paths(tool.args(file_path="blob:0123456789ab")) == ()
    assert [use.path for use in tool.paths(tool.args(file_path="a"))] == ["a"]


@pytest.mark.promise("tools-T49")
async def test_a_link_is_shown_with_its_target(bench) -> None:
    bench.write("real.txt", "hello\n")
    Path(bench.root / "link.txt").symlink_to("real.txt")
    assert (await bench.call("read_file", file_path="link.txt")).text.startswith("link.txt → real.txt · lines 1-1 of 1")
