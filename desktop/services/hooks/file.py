"""hooks.toml: the hooks that a file describes, all of them or none with the reason (guests-H1)."""

import re
import tomllib
from collections.abc import Mapping
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


_FAULTS_TOLD: Mapping[str, str] = {
    "toml": "it is not TOML: {}",
    "keys": "unknown key {} (hooks are [[hook]])",
    "version": "it is of version {}; this Banksman knows {}",
    "tables": "hooks are written as [[hook]]",
    "many": "it has more than {} hooks",
    "twice": "two hooks are called {}",
    "id": "hook {}: id is a name of letters, digits, '.', '_' and '-'",
    "key": "hook {}: unknown key {}",
    "match": "hook {}: a match names one or more of {}",
    "field": "hook {}: {}: {}",
    "hosts": "hook {}: network names at most {} hosts",
    "host": "hook {}: network: {}",
    "command": "hook {}: command is a list of words, or a line",
    "nul": "hook {}: command holds a character that no command can",
    "time": "hook {}: timeout_s is at most {} for {}",
    "no_match": "hook {}: {} is about no call, so it has no match",
}


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
        raise _fault("toml", error) from error
    if unknown := sorted(set(document) - {"version", "hook"}):
        raise _fault("keys", repr(unknown[0]))
    if document.get("version", VERSION) != VERSION:
        raise _fault("version", document["version"], VERSION)
    tables = document.get("hook", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise _fault("tables")
    if len(tables) > MOST_HOOKS:
        raise _fault("many", MOST_HOOKS)
    hooks = tuple(_hook(table, number) for number, table in enumerate(tables, 1))
    ids = [hook.id for hook in hooks]
    if twice := sorted({one for one in ids if ids.count(one) > 1}):
        raise _fault("twice", twice[0])
    return hooks


def _hook(table: dict[str, Any], number: int) -> Hook:
    name = str(table.get("id", ""))
    if not _ID.fullmatch(name):
        raise _fault("id", number)
    if unknown := sorted(set(table) - _KEYS):
        raise _fault("key", name, repr(unknown[0]))
    fields = dict(table)
    line = fields.pop("command", None)
    fields |= {"text": line} if isinstance(line, str) else {"command": line or ()}
    matches = fields.get("match", [])
    for match in matches if isinstance(matches, list) else [None]:
        if not isinstance(match, dict) or not match or set(match) - _MATCH_KEYS:
            raise _fault("match", name, ", ".join(sorted(_MATCH_KEYS)))
    try:
        hook = Hook.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise _fault("field", name, ".".join(map(str, first["loc"])), first["msg"]) from error
    _check(hook)
    return hook.model_copy(update={"network": _hosts(hook)}) if hook.network else hook


def _hosts(hook: Hook) -> tuple[str, ...]:
    """The hosts that it may reach, each in its one spelling."""
    if len(hook.network) > MOST_HOSTS:
        raise _fault("hosts", hook.id, MOST_HOSTS)
    found = [check_allowed(text) for text in hook.network]
    if wrong := next((one.reason for one in found if isinstance(one, Refused)), ""):
        raise _fault("host", hook.id, wrong)
    return tuple(dict.fromkeys(one.text for one in found if isinstance(one, AllowedHost)))


def _check(hook: Hook) -> None:
    """Raises HookFault: it cannot run."""
    if not hook.text.strip() and not (hook.command and hook.command[0]):
        raise _fault("command", hook.id)
    if "\0" in hook.shown:
        raise _fault("nul", hook.id)
    longest = LONG_S if hook.on in _LONG else SHORT_S
    if not 0 < hook.timeout_s <= longest:
        raise _fault("time", hook.id, f"{longest:g}", hook.on)
    if hook.match and hook.on not in _OF_CALLS:
        raise _fault("no_match", hook.id, hook.on)


def _fault(form: str, *parts: object) -> HookFault:
    return HookFault(_FAULTS_TOLD[form].format(*parts))
