import pytest

from desktop.providers.demo_script import DemoCall, demo_scripts
from desktop.tools.registry import discover, parse_args

CALLS = [
    call
    for script in demo_scripts()
    for run in script.passes
    for entry in run.turns
    for turn in (entry if isinstance(entry, tuple) else (entry,))
    for call in turn.tool_calls
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_each_call_of_the_demos_is_one_the_tools_accept(call: DemoCall) -> None:
    tool = discover().resolve(call.name)
    assert tool is not None
    parse_args(tool, call.args)
