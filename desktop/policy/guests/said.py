"""What a guest says of itself, read into values: foreign text, of which no more is kept than people can look through
(guests-A14)."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from desktop.domain.core.errors import one_line
from desktop.domain.core.service_kinds import Dialect
from desktop.domain.core.usage import Usage
from desktop.domain.guests.values import (
    GuestAbilities,
    GuestChoice,
    GuestGatewayWay,
    GuestOption,
    GuestSignIn,
    GuestSlash,
)
from desktop.policy.shell.words.assignments import assignment_problem

Fields = Mapping[str, JsonValue]

MOST_LISTED, MOST_WAYS = 200, 20
NAME_CHARS, TEXT_CHARS = 100, 300
OPTION_CATEGORY_OF_MODES = "mode"
MODEL = "model"
MOST_TOKENS = 10**12
_CAMEL = ("inputTokens", "outputTokens", "cachedReadTokens", "cachedWriteTokens")
_SNAKE = ("input_tokens", "output_tokens", "cached_read_tokens", "cached_write_tokens")
_GATEWAYS: dict[str, Dialect] = {"anthropic": "anthropic", "openai": "responses", "google": "gemini"}
"""What agents call the protocol of the service that they are to be told of. Those of others are not spoken here."""
_CHANGES = {
    "logout": "Signs the agent out, for all of its chats.",
    "clear": "The agent forgets what was said; the chat stays as it is here.",
    "compact": "The agent shortens what it remembers; the chat stays as it is here.",
    "restore": "The agent may put files back by itself.",
}
"""Commands of guests that change more than the conversation that people see (guests-A47)."""


def abilities_said(answer: Fields) -> GuestAbilities:
    """The abilities that it told of when it introduced itself."""
    told = fields_of(answer.get("agentCapabilities"))
    prompt, sessions = fields_of(told.get("promptCapabilities")), fields_of(told.get("sessionCapabilities"))
    meta = fields_of(told.get("_meta"))
    info = fields_of(answer.get("agentInfo"))
    return GuestAbilities(
        version=text_of(info.get("version"), NAME_CHARS),
        load=told.get("loadSession") is True,
        resume=sessions.get("resume") is not None,
        fork=sessions.get("fork") is not None,
        image=prompt.get("image") is True,
        embedded=prompt.get("embeddedContext") is True,
        steer=meta.get("promptQueueing") is True
        or any(fields_of(one).get("promptQueueing") is True for one in meta.values()),
    )


def sign_ins_said(answer: Fields) -> tuple[GuestSignIn, ...]:
    """The ways to sign in that it offers to people, as many as are looked through; each name is one line, for a
    button."""
    found = (one for one in _ways(answer) if _gateway_of(one) is None)
    return tuple(
        GuestSignIn(
            id=text_of(one.get("id"), TEXT_CHARS),
            name=one_line(text_of(one.get("name"), NAME_CHARS)),
            about=one_line(text_of(one.get("description"), TEXT_CHARS)),
            terminal=one.get("type") == "terminal",
            words=tuple(word for word in listed(one.get("args")) if isinstance(word, str)),
            env=_plain(fields_of(one.get("env"))),
            variables=tuple(
                name for two in listed(one.get("vars")) if (name := text_of(fields_of(two).get("name"), NAME_CHARS))
            ),
        )
        for one in found
        if one.get("id") and one.get("name")
    )


def gateway_said(answer: Fields) -> GuestGatewayWay | None:
    """The way to sign in by which it can be told of a model service, None where it has none of a known protocol. It is
    for programs: no person is offered it."""
    for one in _ways(answer):
        protocol = _gateway_of(one)
        dialect = _GATEWAYS.get(protocol) if protocol is not None else None
        if dialect is not None:
            return GuestGatewayWay(id=text_of(one.get("id"), TEXT_CHARS), dialect=dialect)
    return None


def _ways(answer: Fields) -> Iterator[Fields]:
    return (one for one in map(fields_of, listed(answer.get("authMethods"))[:MOST_WAYS]) if one.get("id"))


def _gateway_of(way: Fields) -> str | None:
    """The protocol of a way to sign in by which an agent is told of a model service, None for another way."""
    gateway = fields_of(way.get("_meta")).get("gateway")
    return text_of(fields_of(gateway).get("protocol"), NAME_CHARS) if isinstance(gateway, dict) else None


def usage_said(answer: Fields) -> Usage | None:
    """What it says that its model used in a prompt, None: it does not say (guests-A49)."""
    meta = fields_of(answer.get("_meta"))
    quota = fields_of(fields_of(meta.get("quota")).get("token_count"))
    for told, names in ((fields_of(answer.get("usage")), _CAMEL), (quota, _SNAKE)):
        read, wrote, cached, kept = (_count(told.get(name)) for name in names)
        if read is not None and wrote is not None:
            return Usage(input=read, output=wrote, cache_read=cached, cache_write_5m=kept)
    return None


def context_said(update: Fields) -> tuple[int, int] | None:
    """How full it says that its context is, and how large; None: it does not say."""
    used, size = _count(update.get("used")), _count(update.get("size"))
    return (used, size) if used is not None and size is not None else None


def _count(value: JsonValue) -> int | None:
    return min(value, MOST_TOKENS) if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def modes_said(answer: Fields) -> tuple[tuple[str, ...], str]:
    """The modes that it has, and the one that it is in, "" for an unknown one."""
    modes = fields_of(answer.get("modes"))
    listed_ones = (text_of(fields_of(one).get("id"), NAME_CHARS) for one in listed(modes.get("availableModes")))
    known, now = tuple(one for one in listed_ones if one), text_of(modes.get("currentModeId"), NAME_CHARS)
    of_options = _mode_option(answer)
    if known or of_options is None:
        return known, now
    return tuple(one.value for one in of_options.choices), of_options.value


def mode_option(answer: Fields) -> str:
    """The option by which its mode is set, "" where it is not one of its options."""
    found = _mode_option(answer)
    return found.id if found is not None else ""


def options_said(answer: Fields) -> tuple[GuestOption, ...]:
    """What can be chosen of it, but for its modes, which are not the person's to choose here (guests-A46)."""
    found = [one for one in _options(answer) if one.category != OPTION_CATEGORY_OF_MODES]
    models = fields_of(answer.get("models"))
    choices = tuple(_choices(listed(models.get("availableModels")), "modelId"))
    if choices and not any(one.category == MODEL for one in found):
        value = text_of(models.get("currentModelId"), TEXT_CHARS)
        found.insert(0, GuestOption(id=MODEL, name="Model", category=MODEL, value=value, choices=choices, sets="model"))
    return tuple(found)


def commands_said(update: Fields) -> tuple[GuestSlash, ...]:
    """Its own commands."""
    found = (fields_of(one) for one in listed(update.get("availableCommands")))
    return tuple(
        GuestSlash(
            name=name,
            about=text_of(one.get("description"), TEXT_CHARS),
            hint=text_of(fields_of(one.get("input")).get("hint"), NAME_CHARS),
            warning=_CHANGES.get(name, ""),
        )
        for one in found
        if (name := text_of(one.get("name"), NAME_CHARS).lstrip("/"))
    )


def fields_of(value: JsonValue) -> Fields:
    """The fields of an object, none of anything else."""
    return value if isinstance(value, dict) else {}


def listed(value: JsonValue) -> list[JsonValue]:
    """The first entries of a list, none of anything else."""
    return value[:MOST_LISTED] if isinstance(value, list) else []


def text_of(value: JsonValue, most: int) -> str:
    """A text of at most so many characters, "" for anything else."""
    return value[:most] if isinstance(value, str) else ""


def _plain(env: Fields) -> dict[str, str]:
    """The variables that change nothing of what programs load or run: a person may copy them to a terminal."""
    told = {name: value for name, value in env.items() if isinstance(value, str)}
    return {name: value for name, value in told.items() if not assignment_problem(f"{name}={value}")}


def _mode_option(answer: Fields) -> GuestOption | None:
    return next((one for one in _options(answer) if one.category == OPTION_CATEGORY_OF_MODES), None)


def _options(answer: Fields) -> list[GuestOption]:
    found: list[GuestOption] = []
    for one in map(fields_of, listed(answer.get("configOptions"))):
        switch, now = one.get("type") == "boolean", one.get("currentValue")
        option = GuestOption(
            id=text_of(one.get("id"), NAME_CHARS),
            name=text_of(one.get("name"), NAME_CHARS),
            category=text_of(one.get("category"), NAME_CHARS),
            about=text_of(one.get("description"), TEXT_CHARS),
            value=("on" if now is True else "off") if switch else text_of(now, TEXT_CHARS),
            choices=_switch() if switch else tuple(_choices(listed(one.get("options")), "value")),
            sets="switch" if switch else "option",
        )
        if option.id and option.name and option.choices:
            found.append(option)
    return found


def _switch() -> tuple[GuestChoice, ...]:
    return GuestChoice(value="on", name="On"), GuestChoice(value="off", name="Off")


def _choices(entries: list[JsonValue], key: str) -> Iterator[GuestChoice]:
    """The values of a list, those of its groups too."""
    for one in map(fields_of, entries):
        yield from _choices(listed(one.get("options")), key)
        value, name = text_of(one.get(key), TEXT_CHARS), text_of(one.get("name"), NAME_CHARS)
        if value:
            yield GuestChoice(value=value, name=name or value, about=text_of(one.get("description"), TEXT_CHARS))
