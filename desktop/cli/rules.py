"""`banksman rules list | simulate | trust`: which rules count, what one would have done, trust."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from desktop.config.folders import product_folders
from desktop.domain.core.errors import BanksmanError, RuleError
from desktop.domain.core.work import Project
from desktop.domain.display.text import display_text
from desktop.domain.gate.rules import Rule, RuleDecision, RuleFile, RuleState, Simulation
from desktop.policy.rule_check import rule_fault
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.verdict import ShellVerdict
from desktop.policy.simulate import simulate
from desktop.services.projects import open_project
from desktop.store.gate.rules import RuleStore
from desktop.store.readings import readings_at

_AGENT_VARIABLE = "BANKSMAN_LANE"


def main(argv: Sequence[str]) -> int:
    """Run `rules` with the words after it. 0: done, 1: nothing matched or was trusted, 2: wrong usage or unreadable."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as done:  # argparse has printed its sentence
        return 0 if done.code in (None, 0) else 2
    commands = {"list": _list, "simulate": _simulate, "trust": _trust}
    try:
        return commands[arguments.command](arguments, asyncio.run(open_project(arguments.project)))
    except BanksmanError as error:
        print(f"banksman rules: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="banksman rules", description="Rules that allow, ask about or deny commands.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    listing = commands.add_parser("list", help="every rule that counts for a project, file by file")
    trying = commands.add_parser("simulate", help="which past commands a rule would have matched; nothing is saved")
    for decision in ("allow", "ask", "deny"):
        trying.add_argument(f"--{decision}", metavar="WORDS", help=f"{decision} commands that begin with these words")
    trying.add_argument(
        "--scope", choices=("project", "user"), default="project", help="user: commands of all projects"
    )
    trust = commands.add_parser("trust", help="let the allow rules in the repository's own file count")
    trust.add_argument("sha256", nargs="?", default="", help="the content to trust; without it, it is only shown")
    for command in (listing, trying, trust):
        command.add_argument("--project", type=Path, default=Path(), metavar="PATH", help="its folder (default: here)")
        command.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _judge(line: str) -> ShellVerdict:
    return assess_shell(line, TextWorld(home=str(Path.home())))


def _store() -> RuleStore:
    folders = product_folders()
    return RuleStore(folders.data, folders.config, judge=_judge)


def _list(arguments: argparse.Namespace, project: Project) -> int:
    book = _store().book(project.id, Path(project.path))
    if arguments.json:
        print(json.dumps({"files": [file.model_dump(mode="json") for file in book.files]}))
        return 0
    for file in book.files:
        for line in _file_lines(file):
            print(line)
    return 0


def _file_lines(file: RuleFile) -> list[str]:
    lines = [f"{file.scope}: {display_text(file.path)}"]
    lines += [f"  ! {display_text(file.problem)}"] if file.problem else []
    lines += [f"  {_rule_line(state)}" for state in file.rules]
    return lines if len(lines) > 1 else [f"{lines[0]} (no rules)"]


def _rule_line(state: RuleState) -> str:
    rule = state.rule
    line = f"{rule.id}  {rule.decision:5}  {rule.kind}  {display_text(rule.text)}"
    return f"{line}  ({'flagged' if state.active else 'off'}: {display_text(state.problem)})" if state.problem else line


def _simulate(arguments: argparse.Namespace, project: Project) -> int:
    rule = _wanted(arguments)
    scope = None if arguments.scope == "user" else project.id
    calls = readings_at(product_folders().store).past_commands(scope, datetime.now(UTC))
    found = simulate((rule,), calls, _judge)
    if arguments.json:
        print(json.dumps(found.model_dump(mode="json")))
    else:
        _report(found)
    return 0 if found.would_match else 1


def _wanted(arguments: argparse.Namespace) -> Rule:
    decisions: tuple[RuleDecision, ...] = ("allow", "ask", "deny")
    given = [(decision, str(words)) for decision in decisions if (words := vars(arguments)[decision]) is not None]
    if len(given) != 1:
        raise RuleError("Give one of --allow, --ask and --deny, with the words that a command begins with.")
    ((decision, words),) = given
    rule = Rule(id="r-new", decision=decision, kind="command", tokens=tuple(words.split()), scope=arguments.scope)
    if fault := rule_fault(rule):
        raise RuleError(f"The rule {words!r} cannot be saved: {fault}")
    return rule


def _report(found: Simulation) -> None:
    allowed = found.newly_allowed - found.declined
    print(f"{found.would_match} of {found.checked} past commands match.")
    if found.newly_allowed:
        print(f"{found.newly_allowed} asked then and would run now: {found.declined} you declined, {allowed} others.")
    if found.newly_asked or found.newly_denied:
        print(f"{found.newly_asked + found.newly_denied} ran then and would not without you now.")
    if found.unknown:
        print(f"{found.unknown} could not be checked.")
    for call in found.examples:
        print(f"  {call.outcome:9}  {call.at:%Y-%m-%d %H:%M}  {display_text(call.text)}")


def _trust(arguments: argparse.Namespace, project: Project) -> int:
    store, root = _store(), Path(project.path)
    shared = next(file for file in store.book(project.id, root).files if file.scope == "shared")
    if not arguments.sha256:
        if arguments.json:
            print(json.dumps(shared.model_dump(mode="json")))
            return 0
        for line in (*_file_lines(shared), *_how_to_trust(shared)):
            print(line)
        return 0
    if os.environ.get(_AGENT_VARIABLE):
        raise RuleError("Only a person trusts rules. Run this in a terminal of your own.")
    counting = store.trust_shared(project.id, root, arguments.sha256, "cli")
    print(f"{len(counting)} allow rules of {display_text(shared.path)} count now, until the file changes.")
    return 0


def _how_to_trust(shared: RuleFile) -> list[str]:
    if not shared.waiting:
        return ["No allow rule waits for your trust."]
    return [f"To let {len(shared.waiting)} allow rules count: banksman rules trust {shared.sha256}"]
