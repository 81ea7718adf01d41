"""What the page of agents says of one: in the list, below it, and after a test."""

import shlex

from desktop.domain.display.text import display_text
from desktop.domain.guests.updates import GuestListing, GuestTested
from desktop.language import said, tr
from desktop.ui.text.format import count

MOST_HOSTS = 6
_DIGEST, _LOG_LINES = 12, 20
_OWN = tr("Its own last lines:")


def line(listed: GuestListing) -> str:
    """An agent in one line of the list."""
    state = display_text(
        tr("not installed") if not listed.program else tr("cannot be used") if listed.problem else tr("installed")
    )
    return f"{display_text(listed.label)} · {state}"


def icon_of(listed: GuestListing) -> str:
    """The icon before that line."""
    if not listed.program:
        return "minus"
    return "triangle-alert" if listed.problem else "check"


def found_lines(listed: GuestListing) -> str:
    """Where it is, and what is known of it."""
    lines = [f"{listed.program} · {listed.sha256[:_DIGEST]}"] if listed.program else []
    lines += [said(listed.problem)] if listed.problem and listed.program else []
    lines += [tr("It does not ask before it acts, so it works in Full auto alone.")] if not listed.asks else []
    hosts = ", ".join(listed.hosts[:MOST_HOSTS])
    hosts = tr("{hosts} and others", hosts=hosts) if len(listed.hosts) > MOST_HOSTS else hosts
    if listed.program and not listed.endpoint_id:
        lines.append(
            tr("With its own sign-in it reaches {hosts}.", hosts=hosts) if hosts else tr("It reaches no host.")
        )
    return "\n".join(map(display_text, lines))


def sign_in_command(listed: GuestListing, tested: GuestTested | None) -> str:
    """The command that signs the agent in, for a terminal of the person's own; "" where none is known, or where it asks
    its model through Banksman. `tested`: what it said of itself lately."""
    if not listed.program or listed.endpoint_id:
        return ""
    offered = tested.sign_ins if tested is not None else ()
    told = next((one for one in offered if one.terminal), None)
    if not listed.login and told is None:
        return ""
    words = listed.login or (listed.program, *(told.words if told is not None else ()))
    env = {} if listed.login or told is None else told.env
    return shlex.join(["env", f"HOME={listed.home_path}", *(f"{name}={env[name]}" for name in env), *words])


def tested_lines(tested: GuestTested) -> str:
    """What came of a test: the sentence, what it can, and its last words."""
    lines = [said(tested.text)]
    if tested.ok:
        can = tested.abilities
        able = {tr("opens its chats again"): can.load or can.resume, tr("reads pictures"): can.image}
        facts = [words for words, true in able.items() if true]
        facts += [count(len(can.modes), "mode")] if can.modes else []
        facts += [f"{one.name.lower()}: {count(len(one.choices), 'choice')}" for one in tested.options]
        words = "; ".join(facts)
        lines += [f"{words[:1].upper()}{words[1:]}."] if facts else []
    if tested.needs_sign_in:
        lines.append(tr("It wants you to sign in first."))
    return "\n".join(display_text(one) for one in (*lines, *own_lines(tested.log)) if one)


def own_lines(log: tuple[str, ...]) -> tuple[str, ...]:
    """The last lines of an agent, marked as its own, so that no words of it stand as ours."""
    return (_OWN, *(f"> {line}" for line in log[-_LOG_LINES:])) if log else ()
