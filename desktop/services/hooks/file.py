"""hooks.toml: the hooks that a file describes, all of them or none with the reason (guests-H1)."""

import re
import tomllib
from typing import Any

from pydantic import ValidationError

from desktop.domain.core.errors import BanksmanError
from desktop.domain.hooks.values import Hook, HookMatch
from desktop.policy.network.hosts import AllowedHost, Refused, check_allowed

VERSION = 1
MOST_HOOKS = 50
MOST_HOSTS = 12
SHORT_S, LONG_S = 5.0, 60.0
_LONG = frozenset({"after_call", "on_stop"})
_OF_CALLS = frozenset({"before_call", "after_call", "on_card"})
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_KEYS = frozenset({"id", "on", "match", "command", "timeout_s", "network", "blocking"})
_MATCH_KEYS = frozenset(HookMatch.model_fields)


class HookFault(BanksmanError):
    """A file of hooks cannot be used as it is."""


def parse_hooks(content: bytes) -> tuple[Hook, ...]:
    """The hooks of a file in its order.

    Raises:
        HookFault: it is not TOML, has a key that nobody knows, or a hook that cannot run.
    """
    try:
        document = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise HookFault(f"it is not TOML: {error}") from error
    if unknown := sorted(set(document) - {"version", "hook"}):
        raise HookFault(f"unknown key {unknown[0]!r} (hooks are [[hook]])")
    if document.get("version", VERSION) != VERSION:
        raise HookFault(f"it is of version {document['version']}; this Banksman knows {VERSION}")
    tables = document.get("hook", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise HookFault("hooks are written as [[hook]]")
    if len(tables) > MOST_HOOKS:
        raise HookFault(f"it has more than {MOST_HOOKS} hooks")
    hooks = tuple(_hook(table, number) for number, table in enumerate(tables, 1))
    ids = [hook.id for hook in hooks]
    if twice := sorted({one for one in ids if ids.count(one) > 1}):
        raise HookFault(f"two hooks are called {twice[0]}")
    return hooks


def _hook(table: dict[str, Any], number: int) -> Hook:
    name = str(table.get("id", ""))
    who = f"hook {name}" if _ID.fullmatch(name) else f"hook {number}"
    if who != f"hook {name}":
        raise HookFault(f"{who}: id is a name of letters, digits, '.', '_' and '-'")
    if unknown := sorted(set(table) - _KEYS):
        raise HookFault(f"{who}: unknown key {unknown[0]!r}")
    fields = dict(table)
    line = fields.pop("command", None)
    fields |= {"text": line} if isinstance(line, str) else {"command": line or ()}
    matches = fields.get("match", [])
    for match in matches if isinstance(matches, list) else [None]:
        if not isinstance(match, dict) or not match or set(match) - _MATCH_KEYS:
            raise HookFault(f"{who}: a match names one or more of {', '.join(sorted(_MATCH_KEYS))}")
    try:
        hook = Hook.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise HookFault(f"{who}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    if problem := _problem(hook):
        raise HookFault(f"{who}: {problem}")
    return hook.model_copy(update={"network": _hosts(hook, who)}) if hook.network else hook


def _hosts(hook: Hook, who: str) -> tuple[str, ...]:
    """The hosts that it may reach, each in its one spelling."""
    if len(hook.network) > MOST_HOSTS:
        raise HookFault(f"{who}: network names at most {MOST_HOSTS} hosts")
    found = [check_allowed(text) for text in hook.network]
    if wrong := next((one.reason for one in found if isinstance(one, Refused)), ""):
        raise HookFault(f"{who}: network: {wrong}")
    return tuple(dict.fromkeys(one.text for one in found if isinstance(one, AllowedHost)))


def _problem(hook: Hook) -> str:
    """Why a hook cannot run, "" if it can."""
    if not hook.text.strip() and not (hook.command and hook.command[0]):
        return "command is a list of words, or a line"
    if "\0" in hook.shown:
        return "command holds a character that no command can"
    longest = LONG_S if hook.on in _LONG else SHORT_S
    if not 0 < hook.timeout_s <= longest:
        return f"timeout_s is at most {longest:g} for {hook.on}"
    if hook.match and hook.on not in _OF_CALLS:
        return f"{hook.on} is about no call, so it has no match"
    return ""
