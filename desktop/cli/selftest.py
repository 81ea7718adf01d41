"""`banksman --selftest`: one line per tool with a hash of its schema, then what the program needs, each tried."""

from desktop.cli.checks import findings
from desktop.tools.registry import discover, schema_hash


def main(argv: list[str]) -> int:
    """Exit status 0 when nothing failed. A line that begins with `FAILED` names what does not work, one with `missing`
    what the program goes on without."""
    for tool in discover().tools:
        print(f"tool {tool.name} {tool.tier} {tool.category.value} {schema_hash(tool)}")
    failed = False
    for found in findings():
        print(f"{found.outcome} {found.name}: {found.text}", flush=True)
        failed = failed or found.outcome == "FAILED"
    return 1 if failed else 0
