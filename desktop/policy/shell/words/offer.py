"""The rules that a card offers for the commands of a line that ask, or the word that keeps it from it (gate-R15)."""

from collections.abc import Mapping, Sequence

from desktop.policy.shell.verdict import ShellVerdict, SimpleCommand
from desktop.policy.shell.words.cover import covers, uncovered_reason
from desktop.policy.shell.words.propose import propose_tokens
from desktop.policy.shell.words.rule_tokens import MAX_TOKENS, token_problem
from desktop.records import dataclass

MAX_RULES_OF_A_CARD = 5

_REDIRECTION_TOLD: Mapping[str, str] = {"any": "No rule covers a redirection: {redirect}"}


@dataclass(frozen=True)
class RuleOffer:
    """The words of the rules that together let a line run, one rule for each command that asks; or in `prevented` why
    there are none, in one sentence that names the word."""

    tokens: tuple[tuple[str, ...], ...] = ()
    prevented: str = ""


def rule_offer(verdict: ShellVerdict, asking: Sequence[SimpleCommand]) -> RuleOffer:
    """What can be offered for a line of which these commands are neither proven to read nor covered."""
    if not verdict.coverable:
        return RuleOffer(prevented=_unspoken(verdict))
    if not asking or len(asking) > MAX_RULES_OF_A_CARD:
        return RuleOffer(prevented=f"{len(asking)} commands ask, more than a card has rules for." if asking else "")
    tokens: list[tuple[str, ...]] = []
    for command in asking:
        one = proposed_for(command)
        if prevented := _prevented(command, one):
            return RuleOffer(prevented=prevented)
        tokens.append(one)
    return RuleOffer(tuple(dict.fromkeys(tokens)))


def proposed_for(command: SimpleCommand) -> tuple[str, ...]:
    """The narrowest useful prefix of a command, the variables that are set for it included; empty where there is
    none."""
    plain = propose_tokens(command.argv)
    return (*[word.text for word in command.assigned], *plain) if plain else ()


def _prevented(command: SimpleCommand, tokens: tuple[str, ...]) -> str:
    problem = token_problem(tokens) if tokens else _no_prefix(command)
    if problem:
        return problem.partition(". ")[0].removesuffix(".") + "."
    return "" if covers(tokens, command) else uncovered_reason(tokens, command)


def _no_prefix(command: SimpleCommand) -> str:
    """Why no prefix of it may be saved: what is wrong with the longest one."""
    words = command.spelled[:MAX_TOKENS]
    problems = (token_problem(words[:length]) for length in range(len(words), len(command.assigned), -1))
    return next(filter(None, problems), f"No beginning of {command.argv[0]} tells what may run.")


def _unspoken(verdict: ShellVerdict) -> str:
    """Why no rule speaks of a line: a redirection of a command, or more than plain commands."""
    redirect = next((command.redirect for command in verdict.simple if command.redirect), "")
    if redirect:
        return _REDIRECTION_TOLD["any"].format(redirect=redirect)
    fragment = verdict.fragment.split("\n")[0].strip()
    return f"{verdict.reason} ({fragment})" if fragment else verdict.reason
