"""What a person sees of a call that was judged: the tool's own card, or the call as it came."""

import json
import logging

from desktop.agent.gate.calls.prepared import Prepared
from desktop.domain.core.content import Card, CodeBlock
from desktop.tools.text import title_line

logger = logging.getLogger(__name__)

MAX_SHOWN_INPUT = 20_000
MAX_SHOWN_NAME = 80


def call_card(prepared: Prepared) -> Card:
    """The card of the call; a call that no tool can draw is shown as it came."""
    if prepared.tool is not None and prepared.args is not None:
        try:
            return prepared.tool.card(prepared.args)
        except Exception:  # a call that cannot be drawn is shown as it came
            logger.exception("the card of %s failed", prepared.tool.name)
    text = json.dumps(prepared.raw, indent=2, ensure_ascii=False, default=str)
    if len(text) > MAX_SHOWN_INPUT:
        text = f"{text[:MAX_SHOWN_INPUT]}\n[{len(text) - MAX_SHOWN_INPUT:,} more characters]"
    name = title_line(prepared.name, MAX_SHOWN_NAME) or "a tool without a name"
    return Card(title=f"Call {name}", blocks=(CodeBlock(language="json", text=text),))
