"""The words that a request begins with: of the project's template, else of what is known."""

from pathlib import Path

import pytest

from desktop.domain.core.errors import CommandError
from desktop.domain.reports.values import EvidenceRow
from desktop.services.files.lane_files import LaneFiles
from desktop.services.git.patch import FilePatch
from desktop.services.git.reads import Commit, LaneDiff
from desktop.services.pulls.prompt import MAX_CHARS, pull_prompt, title_and_body
from desktop.services.pulls.text import checked_text, default_body, default_title, template_of
from tests.agent.rig import git, make_repository

RAN = EvidenceRow(claim="", command="make `x`\ntest", cwd=".", exit_code=0, tree="t", state="proved", stale=False)


def test_templates_are_found_where_github_finds_them(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "shop", {"docs/Pull_Request_Template.md": "docs\r\n", "a.py": "x\n"})
    files = LaneFiles(root)
    assert template_of(files) == "docs"
    for path, text in (
        (".github/PULL_REQUEST_TEMPLATE/bug.md", "bug"), ("pull_request_template.md", "root"),
        (".github/pull_request_template.md", "hub"),
    ):  # fmt: skip
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
        assert template_of(files) != text, "only what is committed counts"
        git(root, "add", "-A")
        git(root, "commit", "-qm", "template")
        assert template_of(files) == (text if text != "bug" else "docs"), "one file comes before a choice of several"
    for path in (".github/pull_request_template.md", "pull_request_template.md", "docs/Pull_Request_Template.md"):
        git(root, "rm", "-q", path)
    (root / ".github/PULL_REQUEST_TEMPLATE/default.md").write_text("default")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "choice")
    assert template_of(files) == "default"
    outside = tmp_path / "secret.md"
    outside.write_text("not of the lane")
    (root / "pull_request_template.md").symlink_to(outside)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "link")
    assert template_of(files) == "default", "nothing outside the lane is read"


@pytest.mark.promise("lanes-P5")
def test_title_and_body_say_what_is_known() -> None:
    assert default_title(("Fix\tit ",), "lane") == "Fix it"
    assert default_title(("one", "two"), "my lane") == default_title((), "my lane") == "my lane"
    body = default_body(tuple(f"c{n}" for n in range(42)), "Why.", (RAN,))
    assert body.startswith("## Summary\n\nWhy.\n\n## What changed\n\n- c0\n")
    assert "- and 2 more commits\n\n## Validation\n\n- `make 'x' test`: exit 0, proved\n\n## Risks\n" in body
    assert default_body((), "", ()) == "## Summary\n\n## What changed\n\n## Validation\n\n## Risks\n"
    assert checked_text(" a\r\nb ") == "a\nb"
    for text in (" ", "x" * 65_001):
        with pytest.raises(CommandError):
            checked_text(text)


def test_a_prompt_is_bounded_and_names_what_it_leaves_out() -> None:
    commits = [Commit(f"{n}", "A", "a@b", "", f"s{n}", "why") for n in range(60)]
    files = tuple(FilePatch(f"f{n}", "", b"@@ -1 +1 @@\n+" + b"x" * 5_000, 1, 0) for n in range(70))
    text = pull_prompt(commits, LaneDiff(files, (".env",)), "## Why")
    assert len(text) <= 2 * MAX_CHARS
    assert "- s49\nwhy" in text
    assert "s50" not in text
    assert ".env: content withheld" in text
    assert "… and more files" in text
    assert title_and_body("```\n# T\n\nB\n```") == ("T", "B")
    assert title_and_body("") == ("", "")
