"""What is written beside the pictures: a page to look at them and a list for programs."""

import html
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.screens.taking import Taken

_HEAD = """<!doctype html><meta charset="utf-8"><title>Screens</title><style>
body { font: 14px sans-serif; margin: 16px; } td, th { padding: 8px; vertical-align: top; text-align: left; }
img { width: 420px; border: 1px solid #888; display: block; } tr { border-bottom: 1px solid #ccc; }
</style><h1>Screens</h1><table>"""


def write_listing(out: Path, taken: Sequence[Taken]) -> None:
    """Write `index.html` (scenes as rows, variants as columns) and `manifest.json`."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "manifest.json").write_text(json.dumps([asdict(one) for one in taken], indent=1) + "\n", encoding="utf-8")
    variants = list(dict.fromkeys((one.theme, one.size) for one in taken))
    by_place = {(one.scene, one.theme, one.size): one for one in taken}
    rows = [f"<tr><th>Scene</th>{''.join(f'<th>{look} {size}</th>' for look, size in variants)}</tr>"]
    for scene in sorted({one.scene for one in taken}):
        cells = [_cell(by_place.get((scene, look, size))) for look, size in variants]
        rows.append(f"<tr><th>{html.escape(scene)}</th>{''.join(cells)}</tr>")
    (out / "index.html").write_text("\n".join([_HEAD, *rows, "</table>\n"]), encoding="utf-8")


def _cell(one: Taken | None) -> str:
    if one is None:
        return "<td></td>"
    file = html.escape(one.file)
    return f'<td><a href="{file}"><img loading="lazy" src="{file}" alt="{html.escape(one.scene)}"></a></td>'
