"""Identifiers: a prefix that names the kind, then 32 hex digits that sort by time of creation."""

import os
import time


def new_id(prefix: str) -> str:
    """`prefix` + the hex form of a version 7 UUID (RFC 9562): ids made later sort later, to the millisecond.

    Prefixes in use: `evt_` event, `ses_` session, `trn_` turn, `msg_` message, `inp_` pending input, `cmd_` command,
    `pas_` pass, `sbx_` sandbox report.
    """
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds & (1 << 48) - 1) << 80 | random
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return f"{prefix}{value:032x}"


def new_event_id() -> str:
    """An id for one event."""
    return new_id("evt_")


def new_session_id() -> str:
    """An id for one session."""
    return new_id("ses_")


def new_command_id() -> str:
    """An id for one command, so that its failure can be told to whoever sent it."""
    return new_id("cmd_")


def new_lane_id() -> str:
    """An id for one lane: `ln_` + 12 hex digits (short, because it stands in environment variables and refs)."""
    return f"ln_{os.urandom(6).hex()}"
