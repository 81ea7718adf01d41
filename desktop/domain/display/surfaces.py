"""The texts from outside as each place of the window paints them, and the warning lines beside them (gate-V1 to
gate-V10, gate-J5).

The cards, rows and titles of the window and `banksman check display` take both from here.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from desktop.domain.display.json_text import (
    argument_runs,
    argument_sentences,
    argument_texts,
    is_sql_key,
    read_arguments,
)
from desktop.domain.display.links import disguised_hosts, foreign_scheme, says_another_address
from desktop.domain.display.markdown import MarkdownText, read_markdown
from desktop.domain.display.marks import command_marks, mark_sentences, path_marks, text_marks
from desktop.domain.display.prose_marks import prose_marks
from desktop.domain.display.text import Mark, Run, code_runs, display_safe, joined, prose_safe

Surface = Literal[
    "approval_command",
    "tool_args",
    "diff",
    "commit_message",
    "mcp_tool_description",
    "transcript_markdown",
    "file_path",
    "window_title",
]
SURFACES: tuple[Surface, ...] = get_args(Surface)
TITLE_CHARS = 120
MOST_CHARS, MOST_LINES, MOST_IN_LINE = 2_000, 40, 500
"""Beyond these a text is marked: not all of it is taken in at a glance."""

_NAMED_TOKENS = 8
_MODE_LINE = re.compile(
    r"^(?:(?:old|new) mode \d+|(?:new file|deleted file) mode (?!100644\b)\d+|index \S+ (?:120000|160000)\b|"
    r"Subproject commit|[-+]Subproject commit ).*$",
    re.MULTILINE,
)
_EXECUTED_COMMENT = re.compile(r"/\*(?:!|M!)")


def surface_runs(text: str, surface: Surface) -> tuple[Run, ...]:
    """The text as runs, as that place draws them. The transcript draws Markdown by its parts; here they are joined."""
    if surface == "tool_args":
        return argument_runs(text)
    if surface == "diff":
        return code_runs(text, marks=text_marks(text))
    if surface == "transcript_markdown":
        return _markdown_runs(read_markdown(text))
    if surface == "window_title":
        return cut_runs(_title_runs(text), TITLE_CHARS)
    marks = surface_marks(text, surface)
    return display_safe(text, multiline=surface != "file_path", marks=marks)


def surface_marks(text: str, surface: Surface) -> tuple[Mark, ...]:
    """The marks that a place of the window underlines in a text which it draws unchanged."""
    if surface == "approval_command":
        return command_marks(text)
    if surface == "window_title":
        return prose_marks(text)
    return path_marks(text) if surface == "file_path" else text_marks(text)


def surface_text(text: str, surface: Surface) -> str:
    """The text exactly as that place paints it, lines joined by LF."""
    return joined(surface_runs(text, surface))


def whole_title(text: str) -> str:
    """The title of a chat, a question or a picture in one line, whole. Never of what is being approved."""
    return joined(_title_runs(text))


def card_title(text: str) -> str:
    """The title of something that is approved, in one line, whole: commands and names stand in it."""
    return joined(display_safe(text, multiline=False, marks=text_marks(text)))


def cut_title(shown: str) -> str:
    """A title that has been made fit to show, as the window's bar has it: at most 120 characters, "…" included, and no
    token cut in two. Never for what is being approved."""
    if len(shown) <= TITLE_CHARS:
        return shown
    kept = shown[: TITLE_CHARS - 1]
    return (kept[: kept.rindex("⟦")] if kept.count("⟦") > kept.count("⟧") else kept) + "…"


def path_text(text: str) -> str:
    """A path in one line, whole."""
    return surface_text(text, "file_path")


def display_warnings(text: str, surface: Surface) -> tuple[str, ...]:
    """The warning lines that a text by itself gives at that place, () when it is not marked (gate-V9).

    What a command would do and where a path leads is judged by the policy; `policy/display_warn.py` adds it.
    """
    if surface == "transcript_markdown":
        return _markdown_warnings(text)
    if surface == "tool_args":
        return _argument_warnings(text)
    found = list(mark_sentences(surface_marks(text, surface)))
    found += token_warnings(_title_runs(text) if surface == "window_title" else surface_runs(text, surface))
    found += size_warnings(text)
    found += disguised_hosts(text) if surface not in ("diff", "file_path") else ()
    if surface == "diff":
        found += [f"This changes what kind of file it is: {line}." for line in _mode_lines(text)]
    return tuple(found)


def token_warnings(runs: Sequence[Run]) -> list[str]:
    """The line that names what stands in the runs as a token."""
    tokens = list(dict.fromkeys(run.text for run in runs if run.kind == "token" and run.text[1:3] == "U+"))
    counted = list(dict.fromkeys(run.text for run in runs if run.kind == "token" and run.text.endswith(_COUNTED)))
    found = []
    if tokens:
        more = f" and {len(tokens) - _NAMED_TOKENS} more" if len(tokens) > _NAMED_TOKENS else ""
        found.append(f"Characters that cannot be seen are shown as {', '.join(tokens[:_NAMED_TOKENS])}{more}.")
    if counted:
        found.append(f"Long gaps are shown as {', '.join(counted[:_NAMED_TOKENS])}.")
    return found


_COUNTED = (" blanks⟧", " blank lines⟧")
_LONG_TOLD: Mapping[tuple[bool, bool, bool], str] = {
    (True, False, False): "This is long: {chars:,} characters.",
    (False, True, False): "This is long: {lines:,} lines.",
    (False, False, True): "This is long: a line of {longest:,} characters.",
    (True, True, False): "This is long: {chars:,} characters, {lines:,} lines.",
    (True, False, True): "This is long: {chars:,} characters, a line of {longest:,} characters.",
    (False, True, True): "This is long: {lines:,} lines, a line of {longest:,} characters.",
    (True, True, True): "This is long: {chars:,} characters, {lines:,} lines, a line of {longest:,} characters.",
}
"""By what it has too much of: characters, lines, characters in a line."""


def size_warnings(text: str) -> list[str]:
    """The line that says how much text it is, if it is much."""
    lines = text.removesuffix("\n").split("\n")
    longest = max(map(len, lines))
    told = _LONG_TOLD.get((len(text) > MOST_CHARS, len(lines) > MOST_LINES, longest > MOST_IN_LINE))
    return [told.format(chars=len(text), lines=len(lines), longest=longest)] if told is not None else []


def cut_runs(runs: Sequence[Run], most: int) -> tuple[Run, ...]:
    """The runs cut to `most` characters, "…" included; a token is kept whole or left out."""
    if sum(len(run.text) for run in runs) <= most:
        return tuple(runs)
    room, kept = most - 1, 0
    while len(runs[kept].text) <= room:
        room -= len(runs[kept].text)
        kept += 1
    cut = [runs[kept].model_copy(update={"text": runs[kept].text[:room]})] if runs[kept].kind == "text" and room else []
    return (*runs[:kept], *cut, Run(kind="text", text="…"))


def _title_runs(text: str) -> tuple[Run, ...]:
    return prose_safe(text, multiline=False, marks=prose_marks(text))


def _mode_lines(text: str) -> list[str]:
    return [joined(display_safe(line, multiline=False)) for line in _MODE_LINE.findall(text)[:_NAMED_TOKENS]]


def _markdown_runs(found: MarkdownText) -> tuple[Run, ...]:
    runs: list[Run] = []
    for part in found.parts:
        if part.kind == "rule":
            continue
        runs += [Run(kind="text", text="\n")] if runs else []
        if part.kind == "table":
            runs.append(Run(kind="text", text=part.text))
        else:
            runs += [Run(kind="text", text=f"{part.marker} ")] if part.marker else []
            runs += [span.run for span in part.spans]
    return tuple(runs)


def _markdown_warnings(text: str) -> tuple[str, ...]:
    found = read_markdown(text)
    said = list(mark_sentences(tuple(found.marks)))
    said += token_warnings([span.run for span in found.spans()])
    for link in found.links:
        if says_another_address(link.text, link.href):
            said.append(f"“{_short(link.text)}” leads to {_short(link.href)}.")
        elif scheme := foreign_scheme(link.href):
            said.append(f"An address with “{scheme}:” is no link here.")
    said += disguised_hosts(text)
    said += size_warnings(text)
    return tuple(dict.fromkeys(said))


def _argument_warnings(text: str) -> tuple[str, ...]:
    arguments = read_arguments(text)
    runs = argument_runs(text)
    said = list(argument_sentences(text))
    texts = argument_texts(text)
    for key, value in texts:
        said += [*mark_sentences(text_marks(key)), *mark_sentences(text_marks(value)), *disguised_hosts(value)]
    said += token_warnings(runs)
    said += size_warnings(joined(runs) if arguments.is_json else text)
    if any(_EXECUTED_COMMENT.search(value) for key, value in texts if is_sql_key(key) or not arguments.is_json):
        said.append("A comment in this SQL is executed by servers.")
    return tuple(dict.fromkeys(said))


def _short(text: str) -> str:
    return joined(cut_runs(display_safe(" ".join(text.split(" ")), multiline=False), 200))
