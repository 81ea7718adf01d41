"""ToolRow: what becomes of an ordinary call of one tool in each mode, as people read it in Settings (tools-T128)."""

from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.permissions import Category

Outcome = Literal["free", "review", "ask", "person", "refused"]
"""It runs; it runs and is looked at afterwards; a person is asked; it is a question to a person; it is not offered."""


class ToolRow(Frozen):
    """`hosted`: in Edit, where no window owns the chat. `varies`: which calls are treated otherwise, "" for none.
    `varies_in_plan`: some of them run in Plan, where an ordinary one is refused."""

    tool: str
    category: Category
    plan: Outcome
    edit: Outcome
    hosted: Outcome
    full_auto: Outcome
    varies: str = ""
    varies_in_plan: bool = False
