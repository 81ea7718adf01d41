"""Cards: one line that says what the call does, for whatever the model sends."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from desktop.tools.registry import discover

TOOLS = {tool.name: tool for tool in discover().tools}
WORDS = st.text(min_size=1, max_size=60)
FIELDS: dict[str, dict[str, Any]] = {
    "read_file": {"file_path": WORDS, "offset": st.integers(1, 9)},
    "write_file": {"file_path": WORDS, "content": WORDS},
    "edit_file": {"file_path": WORDS, "old_string": WORDS, "new_string": WORDS},
    "list_dir": {"path": WORDS},
    "glob": {"pattern": WORDS, "path": WORDS},
    "grep": {"pattern": WORDS, "path": WORDS, "glob": WORDS},
    "bash": {"command": WORDS, "cwd": WORDS},
    "propose_boundary": {"quote": WORDS.filter(lambda text: len(text) > 2), "command": st.just("git push")},
    "request_credential": {"provider": WORDS.filter(bool), "label": WORDS, "description": WORDS},
    "bash_output": {"shell_id": WORDS},
    "kill_shell": {"shell_id": WORDS},
    "task": {"description": WORDS, "prompt": WORDS, "agent": WORDS, "resume": WORDS},
    "task_output": {"task_id": WORDS},
    "task_stop": {"task_id": WORDS},
    "take_task_changes": {"task_id": WORDS},
    "todo_write": {"todos": st.lists(st.fixed_dictionaries({"content": WORDS}), max_size=3)},
    "todo_read": {},
    "ask_user": {"question": WORDS, "body": WORDS},
    "exit_plan_mode": {"plan": WORDS},
    "set_chat_summary": {"summary": WORDS},
    "install_skill": {"path": WORDS.filter(str.strip), "id": WORDS},
    "uninstall_skill": {"id": WORDS.filter(str.strip)},
    "use_skill": {"skill_id": WORDS.filter(str.strip), "file": WORDS},
    "sql_query": {"connection": WORDS, "sql": WORDS},
    "sql_schema": {"connection": WORDS, "table": WORDS},
    "git_status": {},
    "git_diff": {"ref": WORDS, "path": WORDS, "staged": st.booleans()},
    "git_log": {"ref": WORDS, "path": WORDS},
    "move_file": {"from_path": WORDS, "to_path": WORDS},
    "delete_file": {"file_path": WORDS},
    "create_lane": {"name": WORDS, "description": WORDS, "parent_lane": WORDS, "base_ref": WORDS},
    "rebase_lane": {"onto": WORDS},
    "push_lane": {"after_rewrite": st.booleans()},
    "pr_refresh_issue_inventory": {},
    "create_pr_from_lane": {"title": WORDS, "body": WORDS, "draft": st.booleans()},
    "pr_rerun_failed_checks": {"check_names": st.lists(WORDS, max_size=3)},
    "pr_reply_to_review_thread": {"thread_id": WORDS, "body": WORDS},
    "pr_resolve_review_thread": {"thread_id": WORDS},
    "lane_stash": {"message": WORDS},
    "memory_search": {"query": WORDS.filter(str.strip)},
    "memory_add": {"content": WORDS, "category": st.sampled_from(["fact", "gotcha"])},
    "memory_pin": {"id": WORDS, "pinned": st.booleans()},
    "report_completion": {"summary": WORDS.filter(str.strip), "status": st.sampled_from(["completed", "partial"])},
    "capture_screenshot": {"url": WORDS, "title": WORDS, "description": WORDS},
    "publish_proofs": {"proof_ids": st.lists(st.just("pf_0123456789ab"), min_size=1, max_size=3)},
    "attach_proof": {"path": WORDS, "title": WORDS, "description": WORDS},
    "web_fetch": {"url": WORDS.filter(bool), "max_chars": st.integers(1, 80_000)},
    "mcp_search": {"query": WORDS.filter(str.strip), "server": WORDS.map(lambda text: text[:24])},
    "mcp_read_resource": {"server": WORDS.map(lambda text: text[:24] or "x"), "uri": WORDS},
    "web_search": {"query": WORDS.filter(bool), "count": st.integers(1, 10)},
    "commit_changes": {"message": WORDS, "paths": st.lists(WORDS, min_size=1, max_size=3).map(tuple)},
}


def test_every_tool_is_looked_at_here() -> None:
    assert set(FIELDS) == set(TOOLS)


@pytest.mark.parametrize("name", sorted(FIELDS))
@given(data=st.data())
def test_a_card_has_a_title_of_one_line_and_names_its_paths_without_fault(name: str, data: st.DataObject) -> None:
    tool = TOOLS[name]
    raw = data.draw(st.fixed_dictionaries(FIELDS[name]))
    try:
        args = tool.args.model_validate(raw)
    except ValidationError:
        return
    title = tool.card(args).title
    assert title.strip()
    assert len(title.splitlines()) == 1
    assert len(title) <= 260
    assert all(use.path for use in tool.paths(args))


@pytest.mark.parametrize(
    ("name", "arguments", "title"),
    [
        ("read_file", {"file_path": "shop/cart.py"}, "Read shop/cart.py"),
        ("read_file", {"file_path": "shop/cart.py", "offset": 40}, "Read shop/cart.py, from line 40"),
        ("grep", {"pattern": "discount", "path": "shop"}, "Search “discount” in shop"),
        ("edit_file", {"file_path": "a", "old_string": "b", "new_string": "c"}, "Edit a"),
        ("bash", {"command": "\nmake test\nls"}, "make test …"),
        ("ask_user", {"question": "Which colour?"}, "Ask: Which colour?"),
        ("set_chat_summary", {"summary": "Cart"}, "Name this chat “Cart”"),
    ],
)
def test_titles_read_as_people_would_say_them(name: str, arguments: dict[str, Any], title: str) -> None:
    assert TOOLS[name].card(TOOLS[name].args(**arguments)).title == title
