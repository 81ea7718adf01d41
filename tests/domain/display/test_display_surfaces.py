"""What each place paints and says."""

import pytest

from desktop.domain.display.surfaces import (
    cut_runs,
    cut_title,
    display_warnings,
    path_text,
    surface_text,
    whole_title,
)
from desktop.domain.display.text import Run


@pytest.mark.parametrize(
    ("text", "surface", "said"),
    [
        ("ls", "approval_command", ""), ("r\u200bm", "approval_command", "shown as ⟦U+200B⟧"),
        ("a" + " " * 9 + "b", "commit_message", "Long gaps are shown as ⟦9 blanks⟧"),
        ("".join(map(chr, range(0x2000, 0x200a))), "commit_message", "and 2 more"),
        ("x\n" * 41, "commit_message", "41 lines"), ("x\n" * 40, "commit_message", ""),
        ("x" * 501, "commit_message", "a line of 501"), (("x" * 400 + "\n") * 6, "commit_message", "2,406 characters"),
        ("new file mode 120000", "diff", "what kind of file"), ("new file mode 100644\n@@\n+ new mode 1", "diff", ""),
        ("index a..b 120000", "diff", "kind"), ("-Subproject commit abc", "diff", "kind"),
        ("[github.com](https://evil.example)", "transcript_markdown", "“github.com” leads to https://evil.example."),
        ("[x](banksman://y)", "transcript_markdown", "“banksman:” is no link"),
        ("[x](a.py)", "transcript_markdown", ""),
        ("[x](https://a.b)", "transcript_markdown", ""), ("p\u0430y", "transcript_markdown", "mixes"),
        ('{"a":1,"a":2}', "tool_args", "given twice"), ('{"a":1}', "tool_args", ""),
        ('{"sql":"/*!1*/"}', "tool_args", "executed by servers"), ('{"css":"/*!1*/"}', "tool_args", ""),
        ("/*M! x */", "tool_args", "executed"), ('{"a":"p\u0430y"}', "tool_args", "mixes"),
        ("a\nb", "window_title", "⟦U+000A⟧"), ("a\u202eb", "file_path", "⟦U+202E⟧"),
        ("plain", "mcp_tool_description", ""),
    ],
)  # fmt: skip
def test_what_is_said_beside_a_text(text, surface, said):
    warnings = display_warnings(text, surface)
    assert bool(warnings) == bool(said)
    assert said in "\n".join(warnings)


@pytest.mark.parametrize(
    ("text", "surface", "shown"),
    [
        ("a\n\tb", "commit_message", "a\n→   b"), ("a\nb", "file_path", "a⟦U+000A⟧b"),
        ('{"a":"b"}', "tool_args", "a: b"), ("+" + " " * 12 + "x\ry", "diff", "+" + " " * 12 + "x⟦U+000D⟧y"),
        ("- a\n\n---\n\n|x|\n|-|", "transcript_markdown", "• a\nx"), ("a\nb", "window_title", "a⟦U+000A⟧b"),
        ("ls", "approval_command", "ls"), ("x", "mcp_tool_description", "x"),
    ],
)  # fmt: skip
def test_what_is_painted(text, surface, shown):
    assert surface_text(text, surface) == shown


def test_titles_are_cut_at_the_end_and_tokens_are_kept_whole():
    assert surface_text("x" * 120, "window_title") == cut_title("x" * 120) == "x" * 120
    for text in ("x" * 121, "x" * 115 + "\u202eabc", "x" * 119 + "\u202e", "\u202e" * 40, "x" * 109 + "\u202e" + "y"):
        shown = surface_text(text, "window_title")
        assert len(shown) <= 120
        assert shown.count("⟦") == shown.count("⟧")
        assert shown == cut_title(whole_title(text))
    assert path_text("x" * 300) == "x" * 300
    assert cut_runs([Run(kind="text", text="ab"), Run(kind="text", text="cd")], 3)[-1].text == "…"
