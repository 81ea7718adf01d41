"""Design tokens: every colour, size and spacing of the window, for light and dark."""

from desktop.records import dataclass


@dataclass(frozen=True)
class Tokens:
    """Colours of one theme, as `#RRGGBB`."""

    name: str
    canvas: str
    surface: str
    raised: str
    sunken: str
    text: str
    muted: str
    border: str
    control: str
    accent: str
    on_accent: str
    selection: str
    success: str
    success_bg: str
    warning: str
    warning_bg: str
    danger: str
    danger_bg: str
    on_danger: str
    info_bg: str
    diff_add: str
    diff_del: str
    diff_add_word: str
    diff_del_word: str
    code_keyword: str
    code_string: str
    code_number: str
    code_comment: str
    code_function: str
    code_type: str

    @property
    def is_dark(self) -> bool:
        """Whether text is lighter than what it stands on."""
        return _brightness(self.canvas) < _brightness(self.text)

    @property
    def is_outlined(self) -> bool:
        """Whether lines are seen as well as letters, as in high contrast: lines then tell what tints tell elsewhere."""
        return abs(_brightness(self.border) - _brightness(self.surface)) > _OUTLINED

    @property
    def edge(self) -> str:
        """The token that draws the edge of sunken boxes and chips: their own ground where tints are enough."""
        return "border" if self.is_outlined else "sunken"

    @property
    def off(self) -> str:
        """The token of icons that are off, which must be told from `muted`."""
        return "border" if self.is_outlined else "control"

    def color(self, token: str) -> str:
        """The value of a token by its name. Raises KeyError for a name that is none."""
        return str(vars(self)[token])


_OUTLINED = 300
"""Of 765: the shipped lines stand 84 and 103 from what they are drawn on, those of high contrast 420 and more."""


def _brightness(color: str) -> int:
    return sum(int(color[at : at + 2], 16) for at in (1, 3, 5))


LIGHT = Tokens(
    name="light",
    canvas="#F5F6F8",
    surface="#FFFFFF",
    raised="#FFFFFF",
    sunken="#EEF0F3",
    text="#1B1F24",
    muted="#58616C",
    border="#D8DCE2",
    control="#7F8894",
    accent="#0A5FC4",
    on_accent="#FFFFFF",
    selection="#D9E8FC",
    success="#19703A",
    success_bg="#E3F4E8",
    warning="#855400",
    warning_bg="#FFF3D6",
    danger="#B3261E",
    danger_bg="#FDE7E5",
    on_danger="#FFFFFF",
    info_bg="#E4EFFC",
    diff_add="#E1F5E6",
    diff_del="#FCE6E4",
    diff_add_word="#ABE3B8",
    diff_del_word="#F6BBB5",
    code_keyword="#8A1C8A",
    code_string="#0B6B3A",
    code_number="#8A4B00",
    code_comment="#5A6470",
    code_function="#0A54AD",
    code_type="#006B75",
)

DARK = Tokens(
    name="dark",
    canvas="#15171B",
    surface="#1B1E23",
    raised="#24282F",
    sunken="#101215",
    text="#E7EAEE",
    muted="#A3ABB6",
    border="#333944",
    control="#77818E",
    accent="#76B3FF",
    on_accent="#08192E",
    selection="#243B5C",
    success="#5CC98B",
    success_bg="#16301F",
    warning="#E8B454",
    warning_bg="#362A10",
    danger="#FF8A80",
    danger_bg="#3A1B19",
    on_danger="#2B0905",
    info_bg="#182C45",
    diff_add="#14301E",
    diff_del="#381C1B",
    diff_add_word="#1F5A33",
    diff_del_word="#6B2C29",
    code_keyword="#D9A3F0",
    code_string="#8FD6A8",
    code_number="#F0B878",
    code_comment="#8E97A3",
    code_function="#8CBEFF",
    code_type="#6FD3DC",
)

SPACE_1, SPACE_2, SPACE_3, SPACE_4, SPACE_5, SPACE_6 = 4, 8, 12, 16, 24, 32
RADIUS_CONTROL, RADIUS_CARD, RADIUS_CHIP = 6, 8, 10
CONTROL_HEIGHT, CONTROL_HEIGHT_COMPACT = 32, 28
SIDEBAR_ROW, TOOL_ROW, TABLE_ROW = 46, 32, 30
ICON_LINE, ICON_CARD, ICON_EMPTY = 16, 20, 48
CAPTION, BODY, TITLE, PAGE = 0.85, 1.0, 1.15, 1.4
MONO_SCALE = 0.95
LINE_HEIGHT = 1.4
TOP_BAR, HEADER, SIDEBAR_WIDTH, INSPECTOR_WIDTH = 44, 48, 270, 360
COLUMN_MARGIN, COLUMN_MARGIN_NARROW = 108, 48
READING: dict[str, int] = {"narrow": 600, "usual": 760, "wide": 960, "full": 4000}
"""The widest that rows of a chat become, by the choice of the person."""
DENSE: dict[str, float] = {"comfortable": 1.0, "compact": 0.86}
"""What rows of lists and of a chat are high, against the comfortable ones."""
BODY_PIXELS = 13
COMPOSER_HEIGHT = 98
