"""The words for what the gate decides by, and for its refusals, which are written for agents."""

import re

from desktop.language import tr

_RULES = {
    "agent_tools": tr("what this sub-agent may do"),
    "arguments": tr("what the tool takes"),
    "children_budget": tr("the most sub-agents"),
    "consent": tr("what always needs your consent"),
    "credential_use": tr("secrets are given by you"),
    "deny": tr("built-in protection"),
    "deny_confirm": tr("built-in protection"),
    "file_kind": tr("kinds of files"),
    "gate_error": tr("an error of the gate"),
    "hook": tr("a hook"),
    "hosted_write": tr("chats without a window"),
    "lane_moved": tr("the lane's folder"),
    "many_children": tr("many sub-agents"),
    "mcp_destructive": tr("tools of servers that destroy"),
    "mcp_pin": tr("tools of servers as you accepted them"),
    "memory_guard": tr("memory before changes"),
    "mode": tr("the chat's mode"),
    "net_address": tr("addresses on the network"),
    "net_host": tr("hosts on the network"),
    "offered": tr("tools of this chat"),
    "path": tr("places of files"),
    "primary_lane": tr("your own checkout"),
    "rules_unreadable": tr("rules that cannot be read"),
    "sandbox": tr("the sandbox"),
    "sandbox_wider": tr("more than the sandbox allows"),
    "sql_consent": tr("SQL that needs your consent"),
    "taint": tr("secrets that were read"),
    "unknown_tool": tr("tools of this chat"),
}
_ADVICE = re.compile(r"\s+[^.]*\b(?:commit_changes|exit_plan_mode)\b[^.]*\.$")
"""The sentence with which a refusal ends that tells an agent which tool to call."""


def gate_rule_words(rule: str) -> str:
    """A rule of the gate as people name it; its own name where they have no other."""
    return _RULES.get(rule, rule)


def refusal_words(reason: str, rule: str) -> str:
    """Why a call did not run, without what only an agent can follow: the names of tools. `reason`: in the language
    that is worn; `rule`: of the gate, which refused by it."""
    tool, _, rest = reason.partition(" ")
    if rule == "offered" and tool.isidentifier():
        reason = f"{tr('This step')} {rest}"
    return _ADVICE.sub("", reason)
