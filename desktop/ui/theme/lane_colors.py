"""The colours of lanes in each theme; all are told from the surface at 3 to 1 or more."""

from PySide6.QtGui import QColor

from desktop.domain.lanes.lane import LANE_COLORS
from desktop.ui.theme.theme import theme

_LIGHT = dict(
    zip(
        LANE_COLORS,
        (
            "#2463C9",
            "#1E7F45",
            "#9A6A00",
            "#C0322B",
            "#7B3FB8",
            "#0B7A80",
            "#B8540C",
            "#B72C78",
            "#5C7A0A",
            "#4B4FC9",
            "#7A5236",
            "#66707C",
        ),
        strict=True,
    )
)
_DARK = dict(
    zip(
        LANE_COLORS,
        (
            "#6FA8FF",
            "#5CC98A",
            "#E0B04A",
            "#FF8A80",
            "#C29BF5",
            "#4FC9CF",
            "#FFA366",
            "#F58CC0",
            "#A9CC4A",
            "#9FA3FF",
            "#C9A184",
            "#A7B0BC",
        ),
        strict=True,
    )
)


def lane_color(name: str) -> QColor | None:
    """The colour of a lane as this theme draws it, None for a lane without one."""
    found = (_DARK if theme().tokens.is_dark else _LIGHT).get(name.casefold())
    return QColor(found) if found is not None else None
