"""Commands of whoever starts a chat without a window: its own rules, and cards that nobody answered."""

from typing import Literal

from desktop.domain.core.command import Command
from desktop.domain.gate.rules import Rule


class GiveRules(Command):
    """Have these rules count in this chat, the allowing ones until this process ends."""

    type: Literal["give_rules"] = "give_rules"
    session_id: str
    rules: tuple[Rule, ...]


class WithdrawInput(Command):
    """Close a card that nobody answered in time: its call is declined, as where nobody can answer."""

    type: Literal["withdraw_input"] = "withdraw_input"
    session_id: str
    input_id: str
