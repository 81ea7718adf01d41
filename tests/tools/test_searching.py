"""list_dir, glob and grep over real repositories."""

import subprocess
from pathlib import Path

import pytest

from desktop.domain.core.content import FileListBlock
from desktop.tools.tool import ToolError

pytestmark = pytest.mark.asyncio


@pytest.fixture
def tree(bench):
    bench.write(".gitignore", "*.log\nbuild/\n")
    bench.write("top.py", "discount = 1\n")
    bench.write("shop/cart.py", "def total():\n    return discount\n")
    bench.write("shop/.hidden.py", "discount\n")
    bench.write("build/out.py", "discount\n")
    bench.write("debug.log", "discount\n")
    (bench.root / "loop").symlink_to(".")
    return bench


async def test_list_dir_puts_folders_first_and_shows_links(tree) -> None:
    result = await tree.call("list_dir")
    assert result.text.splitlines() == [
        "dir .git/", "dir build/", "dir shop/", "file .gitignore 13 bytes", "file debug.log 9 bytes", "link loop → .",
        "file top.py 13 bytes",
    ]  # fmt: skip
    assert isinstance(result.blocks[0], FileListBlock)


async def test_a_recursive_listing_skips_ignored_files_and_says_how_many(tree) -> None:
    result = await tree.call("LS", recursive=True)
    assert "dir shop/" in result.text
    assert "file shop/cart.py 33 bytes" in result.text
    assert ".git/" not in result.text
    assert result.text.endswith("[2 ignored entries left out]")


async def test_list_dir_limits_and_errors(tree) -> None:
    result = await tree.call("list_dir", limit=2)
    assert "[5 more;" in result.text
    assert result.blocks[0].more == 5
    with pytest.raises(ToolError, match="not a directory"):
        await tree.call("list_dir", path="top.py")
    with pytest.raises(ToolError, match="does not exist"):
        await tree.call("list_dir", path="nope")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("**/*.py", ["shop/.hidden.py", "shop/cart.py", "top.py"]),
        ("*.py", ["top.py"]),
        ("[!s]*", [".gitignore", "loop", "top.py"]),
        ("{top,shop/cart}.py", ["shop/cart.py", "top.py"]),
        ("shop/**", ["shop/.hidden.py", "shop/cart.py"]),
        ("**/.git/**", []),
    ],
)
async def test_glob_patterns(tree, pattern: str, found: list[str]) -> None:
    result = await tree.call("glob", pattern=pattern)
    expected = "\n".join(found) if found else f"No files match {pattern} under the lane root."
    assert result.text == expected


async def test_glob_finds_ignored_files_only_when_asked_and_stays_in_its_folder(tree) -> None:
    assert "build/out.py" in (await tree.call("glob", pattern="**/*.py", include_ignored=True)).text
    assert (await tree.call("glob", pattern="*.py", path="shop")).text == "shop/.hidden.py\nshop/cart.py"
    assert (await tree.call("glob", pattern="**/*", limit=1)).text.splitlines()[1] == "[4 more]"


@pytest.mark.parametrize("pattern", ["../*.py", "a/../../b", "/etc/*"])
async def test_glob_refuses_patterns_that_leave_the_lane(tree, pattern: str) -> None:
    with pytest.raises(ToolError):
        await tree.call("glob", pattern=pattern)


async def test_glob_scans_thousands_of_files(bench) -> None:
    for folder in range(20):
        place = bench.root / f"d{folder}"
        place.mkdir()
        for number in range(250):
            (place / f"f{number}.txt").touch()
    result = await bench.call("glob", pattern="**/f24?.txt")
    assert result.summary == "200 files"


async def test_grep_shows_path_line_and_text(tree) -> None:
    result = await tree.call("grep", pattern="discount")
    assert result.text.splitlines() == [
        "shop/.hidden.py:1:discount", "shop/cart.py:2:    return discount", "top.py:1:discount = 1",
    ]  # fmt: skip
    assert result.summary == "3 hits"


async def test_grep_modes_filters_and_context(tree) -> None:
    files = await tree.call("grep", pattern="discount", output_mode="files_with_matches", glob="cart.*")
    assert files.text == "shop/cart.py"
    counts = await tree.call("grep", pattern="DISCOUNT", output_mode="count", case_insensitive=True, path="top.py")
    assert counts.text == "top.py:1"
    context = await tree.call("grep", pattern="return", context=1)
    assert context.text.splitlines() == ["shop/cart.py-1-def total():", "shop/cart.py:2:    return discount"]
    everywhere = await tree.call("grep", pattern="discount", include_ignored=True, output_mode="files_with_matches")
    assert {"build/out.py", "debug.log"} <= set(everywhere.text.splitlines())
    assert (await tree.call("grep", pattern="discount", max_results=1)).text.endswith("search a smaller place]")


@pytest.mark.parametrize("pattern", ["-n", "--pre=cat", "-e", "--open-files-in-pager=touch pwned"])
async def test_a_pattern_that_looks_like_an_option_is_text(tree, pattern: str) -> None:
    tree.write("opts.txt", f"use {pattern} here\n")
    assert f"opts.txt:1:use {pattern} here" in (await tree.call("grep", pattern=pattern)).text
    assert not (tree.root / "pwned").exists()


async def test_a_faulty_pattern_suggests_literal_and_no_match_is_no_error(tree) -> None:
    tree.write("b.txt", "a[foo\n")
    with pytest.raises(ToolError, match=r"Invalid pattern: .*\. Set literal=true") as caught:
        await tree.call("grep", pattern="[foo")
    assert "fatal" not in str(caught.value)
    assert "b.txt:1:a[foo" in (await tree.call("grep", pattern="[foo", literal=True)).text
    nothing = await tree.call("grep", pattern="no such text")
    assert nothing.text == "No match for no such text."
    assert not nothing.is_error


async def test_secret_files_are_not_searched_whether_they_match_or_not(tree) -> None:
    tree.write(".env", "KEY=discount\n")
    note = "[1 protected file was not searched]"
    hit = await tree.call("grep", pattern="discount")
    miss = await tree.call("grep", pattern="KEY=x")
    assert "KEY" not in hit.text
    assert hit.text.endswith(note)
    assert miss.text.endswith(note)
    ignored = await tree.call("grep", pattern="discount", include_ignored=True)
    assert "KEY" not in ignored.text


async def test_a_secret_file_named_by_itself_is_searched_because_the_gate_asked(tree) -> None:
    tree.write(".env", "KEY=discount\n")
    assert (await tree.call("grep", pattern="KEY", path=".env")).text == ".env:1:KEY=discount"


async def test_binary_files_are_named_and_long_lines_cut_around_the_hit(tree) -> None:
    tree.write("b.bin", b"needle\0\0")
    tree.write("min.js", "x" * 3000 + "needle" + "y" * 3000)
    text = (await tree.call("grep", pattern="needle")).text
    assert "b.bin: binary file matches" in text
    line = next(line for line in text.splitlines() if line.startswith("min.js"))
    assert "xneedley" in line
    assert len(line) < 600


async def test_planted_configuration_does_not_run(tree) -> None:
    script = tree.root / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {tree.root}/pwned\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "diff.external"):
        subprocess.run(["git", "-C", str(tree.root), "config", key, str(script)], check=True)
    await tree.call("grep", pattern="discount")
    await tree.call("glob", pattern="**/*.py")
    assert not Path(tree.root / "pwned").exists()


async def test_grep_works_outside_a_repository(bench, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "a.txt").write_text("needle\n")
    result = await bench.call("grep", pattern="needle", path=str(place))
    assert result.text == f"{place}/a.txt:1:needle"


async def test_paths_for_the_gate_name_where_is_searched(registry) -> None:
    for name, arguments, path in (
        ("glob", {"pattern": "/etc/**/*.conf"}, "/etc"),
        ("glob", {"pattern": "*.py", "path": "src"}, "src"),
        ("grep", {"pattern": "x", "path": "../y"}, "../y"),
        ("list_dir", {}, "."),
    ):
        tool = registry.resolve(name)
        assert [use.path for use in tool.paths(tool.args(**arguments))] == [path]
