"""The one stylesheet: radius, padding, focus ring, tabs; variants by the dynamic properties `kind` and `role`.

Buttons: kind primary, danger, ghost, link, icon, segment, tab, chip, field, row, alert; none is plain. Labels: kind
muted, caption, title, page, heading, mono, chip. Frames: kind bar, side, surface, card, banner, evidence, popup,
composer, drop. Colour of chips, banners, labels and cards: role neutral, accent, success, warning, danger.
"""

from dataclasses import fields
from string import Template

from PySide6.QtWidgets import QApplication, QWidget

from desktop.ui.theme.fonts import load_fonts
from desktop.ui.theme.icons import control_file
from desktop.ui.theme.palette import hint_color, make_palette
from desktop.ui.theme.theme import Theme, theme
from desktop.ui.theme.tokens import (
    CAPTION,
    CONTROL_HEIGHT,
    CONTROL_HEIGHT_COMPACT,
    ICON_LINE,
    PAGE,
    SPACE_2,
    TITLE,
)

_TEMPLATE = Template("""
QToolTip { background: $raised; color: $text; border: ${line}px solid $border; padding: ${s1}px ${s2}px; }
QFrame[kind="bar"], QFrame[kind="side"], QSplitter { background: $canvas; border: none; }
QFrame[kind="bar"] { border-bottom: ${line}px solid $border; }
QFrame[kind="surface"], QStackedWidget[kind="surface"], QScrollArea[kind="surface"] {
  background: $surface; border: none; }
QScrollArea[kind="plain"], QScrollArea[kind="plain"] > QWidget > QWidget { background: transparent; border: none; }
QFrame[kind="card"] { background: $raised; border: ${line}px solid $border; border-radius: ${card}px; }
QFrame[kind="card"][role="warning"] { border-left: ${bar}px solid $warning; }
QFrame[kind="card"][role="accent"] { border-left: ${bar}px solid $accent; }
QFrame[kind="card"][role="danger"] { border-left: ${bar}px solid $danger; }
QFrame[kind="popup"], QDialog, QDialog QSplitter { background: $raised; }
QFrame[kind="popup"] { border: ${line}px solid $border; border-radius: ${card}px; }
QFrame[kind="composer"] { background: $surface; border: ${line}px solid $control; border-radius: ${card}px;
  padding: ${composer}px; }
QFrame[kind="drop"] { background: $info_bg; border: ${ring}px dashed $accent; border-radius: ${card}px; }
QFrame[kind="composer"][role="focus"] { border: ${ring}px solid $accent; padding: 0; }
QFrame[kind="banner"] { background: $sunken; border: $edge_line; border-radius: ${control_radius}px; }
QFrame[kind="banner"][across="true"] { border-radius: 0; border-width: 0 0 ${line}px 0; }
QFrame[kind="banner"][role="warning"] { background: $warning_bg; } QFrame[kind="banner"][role="accent"] {
  background: $info_bg; } QFrame[kind="banner"][role="danger"] { background: $danger_bg; }
*[kind="evidence"] { background: $sunken; border: ${line}px solid $edge; border-radius: ${control_radius}px;
  font-family: "$mono"; font-size: ${mono_size}px; padding: ${s1}px ${s2}px; }
*[kind="evidence"]:focus { border: ${ring}px solid $accent; padding: ${s1_focus}px ${s2_focus}px; }
QLabel { background: transparent; } QFrame[kind="line"] { background: $border; border: none; }
QLabel[kind="muted"], QLabel[kind="caption"], QLabel[kind="heading"] { color: $muted; }
QLabel[kind="caption"], QLabel[kind="heading"], QPushButton[kind="link"][role="caption"] { font-size: ${caption}px; }
QLabel[kind="heading"], QLabel[kind="title"], QLabel[kind="page"], QLabel[kind="strong"] { font-weight: 600; }
QLabel[kind="title"] { font-size: ${title}px; } QLabel[kind="page"] { font-size: ${page}px; }
QLabel[kind="mono"] { font-family: "$mono"; font-size: ${mono_size}px; }
QLabel[role="warning"] { color: $warning; } QLabel[role="danger"] { color: $danger; }
QLabel[role="success"] { color: $success; } QLabel[role="accent"] { color: $accent; }
*[kind="chip"] { background: $sunken; color: $muted; border: ${line}px solid $edge;
  border-radius: ${chip}px; padding: 0 ${s2}px; min-height: ${chip_height}px; }
*[kind="chip"][role="accent"] { background: $info_bg; color: $accent; border-color: $accent_rim; font-weight: 600; }
*[kind="chip"][role="success"] { background: $success_bg; color: $success; border-color: $success_rim; font-weight:600 }
*[kind="chip"][role="warning"] { background: $warning_bg; color: $warning; border-color: $warning_rim; font-weight:600 }
*[kind="chip"][role="danger"] { background: $danger_bg; color: $danger; border-color: $danger_rim; font-weight: 600; }
QPushButton { background: $raised; color: $text; border: ${line}px solid $control; border-radius: ${control_radius}px;
  padding: 0 ${s3}px; min-height: ${button}px; }
QPushButton[compact="true"] { min-height: ${button_compact}px; padding: 0 ${s2}px; }
QPushButton:hover { border-color: $text; } QPushButton:pressed { background: $sunken; }
QPushButton:disabled { color: $muted; border-color: $border; border-style: $off; background: $surface; }
QPushButton:focus { border: ${ring}px solid $accent; padding: 0 ${s3_focus}px; min-height: ${button_focus}px; }
QPushButton[compact="true"]:focus { min-height: ${button_compact_focus}px; padding: 0 ${s2_focus}px; }
QPushButton[kind="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[kind="primary"]:hover, QPushButton[kind="primary"]:pressed, QPushButton[kind="primary"]:focus {
  border-color: $text; } QPushButton[kind="danger"] { background: transparent; color: $danger; border-color: $danger; }
QPushButton[kind="danger"]:hover { background: $danger_bg; }
QPushButton[kind="danger"][role="filled"] { background: $danger; color: $on_danger; font-weight: 600; }
QPushButton[kind="danger"][role="filled"]:focus { border-color: $text; }
QPushButton[kind="primary"]:disabled, QPushButton[kind="danger"]:disabled { background: $sunken; color: $muted;
  border-color: $border; }
QPushButton[kind="ghost"] { background: transparent; border-color: transparent; color: $muted; padding: 0 ${s2}px; }
QPushButton[kind="ghost"]:hover, QPushButton[kind="link"]:hover { color: $text; }
QPushButton[kind="ghost"]:focus { border-color: $accent; padding: 0 ${s2_focus}px; }
QPushButton[kind="ghost"][role="warning"] { color: $warning; }
QPushButton[kind="ghost"][role="danger"] { color: $danger; }
QPushButton[kind="ghost"][role="title"] { color: $text; font-weight: 600; text-align: left; }
QPushButton[kind="link"] { background: transparent; border: none; color: $accent; padding: 0; min-height: 0;
  text-align: left; }
QPushButton[kind="link"]:focus { border: none; text-decoration: underline; padding: 0; min-height: 0; }
QPushButton[kind="link"]:disabled { color: $muted; border: none; background: transparent; }
QPushButton[kind="chip"] { min-height: ${button_compact}px; padding: 0 ${s2}px; }
QPushButton[kind="chip"]:hover { border-color: $control; }
QPushButton[kind="chip"]:checked { background: $selection; color: $text; border-color: $accent; }
QPushButton[kind="chip"]:focus { border: ${ring}px solid $accent; min-height: ${button_compact_focus}px;
  padding: 0 ${s2_focus}px; }
QPushButton[kind="row"] { background: transparent; border: ${line}px solid transparent; text-align: left; padding: 0; }
QPushButton[kind="row"]:hover { background: $sunken; } QPushButton[kind="row"]:disabled { background: transparent; }
QPushButton[kind="row"]:focus { border: ${ring}px solid $accent; padding: 0; }
QPushButton[kind="field"] { background: $surface; border-color: $border; color: $muted; text-align: left; }
QPushButton[kind="field"]:hover { border-color: $control; } QPushButton[kind="field"]:focus { border-color: $accent; }
QPushButton[kind="alert"] { background: $warning_bg; border-color: $warning_rim; color: $warning; font-weight: 600; }
QPushButton[kind="alert"]:hover { border-color: $warning; }
QPushButton[kind="segment"] { background: transparent; border: ${line}px solid $border; border-radius: 0; color: $muted;
  min-height: ${segment}px; padding: 0 ${s3}px; margin: 0 -${line}px 0 0; }
QPushButton[kind="segment"]:hover { color: $text; } QPushButton[kind="segment"][compact="true"] { padding: 0 ${s2}px; }
QPushButton[kind="segment"][compact="true"]:focus { padding: 0 ${s2_focus}px; }
QPushButton[kind="segment"]:checked { background: $selection; color: $text; font-weight: 600; border-color: $control; }
QPushButton[kind="segment"]:disabled { color: $off_ink; }
QPushButton[kind="segment"]:focus { border: ${ring}px solid $accent; min-height: ${segment_focus}px;
  padding: 0 ${s3_focus}px; } QPushButton[kind="segment"][last="true"] { margin: 0; }
QPushButton[dropped="true"], QPushButton[kind][dropped="true"] { background: $warning_bg; color: $warning;
  border-color: $warning; }
QPushButton[kind="tab"] { background: transparent; border: none; border-bottom: ${ring}px solid transparent;
  border-radius: 0; color: $muted; padding: 0; min-height: 0; } QPushButton[kind="tab"]:hover { color: $text; }
QPushButton[kind="tab"]:checked { color: $text; border-bottom-color: $accent; font-weight: 600; }
QPushButton[kind="tab"]:focus { border: none; border-bottom: ${ring}px solid $accent; color: $accent; padding: 0;
  min-height: 0; }
QToolButton { background: transparent; border: ${ring}px solid transparent; border-radius: ${control_radius}px; }
QToolButton[kind="icon"] { min-width: ${hit}px; min-height: ${hit}px; }
QToolButton:hover, QToolButton:checked:hover { background: $sunken; } QToolButton:pressed { background: $selection; }
QToolButton[role="on"] { border-radius: 0; border-bottom-color: $accent; }
QToolButton:focus { border-color: $accent; } QToolButton::menu-indicator { image: none; }
QLineEdit, QPlainTextEdit, QTextEdit, QComboBox, QSpinBox { background: $surface; color: $text;
  border: ${line}px solid $control; border-radius: ${control_radius}px; selection-background-color: $selection;
  selection-color: $text; } QLineEdit, QPlainTextEdit, QTextEdit { placeholder-text-color: $hint; }
QLineEdit, QComboBox, QSpinBox { padding: 0 ${s2}px; min-height: ${button}px; }
QLineEdit:focus, QComboBox:focus, QSpinBox:focus { border: ${ring}px solid $accent; padding: 0 ${s2_focus}px;
  min-height: ${button_focus}px; } QPlainTextEdit, QTextEdit { padding: ${text_above}px ${text_beside}px; }
QPlainTextEdit:focus, QTextEdit:focus { border: ${ring}px solid $accent; padding: 0 ${text_focus}px; }
QLineEdit[invalid="true"], QPlainTextEdit[invalid="true"] { border-color: $danger; }
QPlainTextEdit[kind="bare"], QTextEdit[kind="bare"] { background: transparent; border: none; padding: 0; }
QPushButton::menu-indicator { image: url("$chevron"); width: ${menu_room}px; height: ${arrow_side}px;
  subcontrol-origin: padding; subcontrol-position: right center; right: ${s1}px; }
QComboBox::drop-down { border: none; subcontrol-origin: border; width: ${arrow_room}px; }
QComboBox::down-arrow { image: url("$chevron"); width: ${arrow_side}px; height: ${arrow_side}px; }
QComboBox QAbstractItemView { background: $raised; border: ${line}px solid $border;
  selection-background-color: $selection; }
QAbstractItemView { background: $surface; border: none; outline: none; selection-background-color: $selection;
  selection-color: $text; }
QAbstractItemView[kind="side"] { background: $canvas; } QAbstractItemView[kind="list"] { background: $raised; }
QAbstractItemView[kind="box"], QScrollArea[kind="box"] { background: $surface; border: ${line}px solid $border;
  border-radius: ${control_radius}px; padding: ${s1}px; } QListWidget[kind="rows"] { background: transparent; }
QPushButton[kind="choice"] { text-align: left; padding-right: ${s5}px; } QCheckBox[role="danger"] { color: $danger; }
QCheckBox::indicator, QAbstractItemView::indicator { width: ${s3}px; height: ${s3}px; background: $surface;
  border: ${line}px solid $control; border-radius: ${half}px; } QCheckBox::indicator:focus { border-color: $accent; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked { background: $accent; border-color: $accent;
  image: url("$check"); } QCheckBox::indicator:checked:disabled { background: $muted; border-color: $muted; }
QCheckBox::indicator:unchecked:disabled, QAbstractItemView::indicator:disabled { background: $sunken;
  border: ${line}px $off $border; }
QRadioButton::indicator { width: ${s3}px; height: ${s3}px; background: $surface; border: ${line}px solid $control;
  border-radius: ${dot}px; } QRadioButton::indicator:focus, QRadioButton::indicator:checked { border-color: $accent; }
QRadioButton::indicator:checked { background: qradialgradient(cx: 0.5, cy: 0.5, radius: 0.5, fx: 0.5, fy: 0.5,
  stop: 0 $accent, stop: 0.5 $accent, stop: 0.6 $surface, stop: 1 $surface); }
QRadioButton::indicator:disabled { background: $sunken; border: ${line}px $off $border; }
QCheckBox:focus, QRadioButton:focus { outline: ${ring}px solid $accent; outline-radius: ${half}px; }
QFrame[kind="pages"] { background: $canvas; border: none; border-right: ${line}px solid $border;
  padding: ${s3}px ${s2}px; }
QListWidget[kind]::item { border: ${line}px solid transparent; border-radius: ${control_radius}px; color: $text;
  padding: 0 ${s2}px; } QListWidget[kind]::item:hover { background: $sunken; }
QListWidget[kind]::item:selected { background: $selection; border-color: $chosen; }
QListWidget[kind]::item:selected:focus { border-color: $accent; } QListWidget[kind]::item:disabled { color: $muted; }
QListWidget[kind="rows"]::item, QListWidget[kind="box"]::item { padding: ${s1}px ${s2}px; }
QHeaderView::section { background: $canvas; color: $muted; border: none; border-bottom: ${line}px solid $border;
  padding: ${s1}px ${s2}px; } QTableView::item { padding-left: ${s1}px; }
QMenu { background: $raised; border: ${line}px solid $border; border-radius: ${control_radius}px; padding: ${s1}px; }
QMenu::item { padding: ${s1}px ${s5}px ${s1}px ${s3}px; min-height: ${s5}px; border-radius: ${s1}px; }
QMenu::item:selected { background: $selection; color: $text; } QMenu::item:disabled { color: $muted; }
QMenu::separator { height: ${line}px; background: $border; margin: ${s1}px ${s2}px; }
QTabWidget::pane { border: none; border-top: ${line}px solid $border; }
QTabBar { background: transparent; border: none; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: $muted; border: none; border-bottom: ${ring}px solid transparent;
  padding: ${s2}px ${tab}px; } QTabBar::tab:hover { color: $text; } QTabBar::tab:focus { color: $accent; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; font-weight: 600; }
QAbstractScrollArea::corner, QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: ${s2}px; } QScrollBar:horizontal { height: ${s2}px; }
QScrollBar::handle { background: $border; border-radius: ${s1}px; min-height: ${s6}px; min-width: ${s6}px; }
QScrollBar::handle:hover { background: $control; } QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; } QSlider { min-height: ${s5}px; }
QProgressBar { background: $sunken; border: none; border-radius: ${s1}px; text-align: center; }
QProgressBar::chunk { background: $accent; border-radius: ${s1}px; } QSplitterHandle:focus { background: $accent; }
QSlider::groove, QSlider::sub-page { background: $border; height: ${s1}px; border-radius: ${half}px; }
QSlider::sub-page { background: $accent; } QSlider::sub-page:disabled { background: $control; }
QSlider::handle { background: $raised; border: ${ring}px solid $control; border-radius: ${s2}px; width: ${s3}px;
  height: ${s3}px; margin: -${knob_over}px 0; } QSlider::handle:focus { border-color: $accent; }
QSplitter::handle:horizontal { background: $border; width: ${split}px; margin: 0 ${half}px; }
""")


_MARKS = ("chevron", "check")
_TINTS = (("accent", "info_bg"), ("success", "success_bg"), ("warning", "warning_bg"), ("danger", "danger_bg"))


def stylesheet(look: Theme) -> str:
    """The stylesheet for a theme's tokens, zoom and fonts."""
    px, kind = look.px, "dark" if look.tokens.is_dark else "light"
    line, ring = max(1, px(1)), max(2, px(2))
    sizes = {
        "line": line,
        "ring": ring,
        "bar": px(3),
        "card": px(8),
        "control_radius": px(6),
        "chip": px(9),
        "chip_height": px(18),
        "composer": ring - line,
        "s1": px(4),
        "s2": px(8),
        "s3": px(12),
        "s5": px(24),
        "s6": px(32),
        "half": px(2),
        "dot": px(12) // 2 + line,
        "split": 2 * px(2) + line,
        "knob_over": (px(12) + 2 * ring - px(4)) // 2,
        "tab": px(10),
        "s1_focus": max(0, px(4) - (ring - line)),
        "s2_focus": px(8) - (ring - line),
        "s3_focus": px(12) - (ring - line),
        "button": px(CONTROL_HEIGHT) - 2 * line,
        "button_focus": px(CONTROL_HEIGHT) - 2 * ring,
        "button_compact": px(CONTROL_HEIGHT_COMPACT) - 2 * line,
        "button_compact_focus": px(CONTROL_HEIGHT_COMPACT) - 2 * ring,
        "segment": px(CONTROL_HEIGHT_COMPACT) - 2 * line,
        "segment_focus": px(CONTROL_HEIGHT_COMPACT) - 2 * ring,
        "text_beside": px(6),
        "text_above": ring - line,
        "text_focus": px(6) - (ring - line),
        "hit": px(CONTROL_HEIGHT_COMPACT),
        "caption": look.font(CAPTION).pixelSize(),
        "title": look.font(TITLE).pixelSize(),
        "page": look.font(PAGE).pixelSize(),
        "mono_size": look.mono().pixelSize(),
        "arrow_side": px(ICON_LINE),
        "menu_room": px(ICON_LINE + 4),
        "arrow_room": px(ICON_LINE + 2 * SPACE_2),
    }
    colors = {field.name: look.color(field.name).name() for field in fields(look.tokens) if field.name != "name"}
    return _TEMPLATE.substitute(
        colors,
        mono=look.mono().family(),
        edge=look.color(look.tokens.edge).name(),
        hint=hint_color(look.tokens).name(),
        edge_line=f"{line}px solid {look.color('border').name()}" if look.tokens.is_outlined else "none",
        **{f"{role}_rim": look.color("border" if look.tokens.is_outlined else bg).name() for role, bg in _TINTS},
        chosen=look.color("control").name() if look.tokens.is_outlined else "transparent",
        off_ink=look.color(look.tokens.off).name(),
        off="dashed" if look.tokens.is_outlined else "solid",
        **{mark: control_file(mark, kind).as_posix() for mark in _MARKS},
        **sizes,
    )


def restyle(widget: QWidget, **properties: str) -> None:
    """Set dynamic properties and let the stylesheet take them, if any is new."""
    if all(widget.property(name) == value for name, value in properties.items()):
        return
    for name, value in properties.items():
        widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def apply_theme() -> None:
    """Give the application the palette, font and stylesheet of the theme in force, if they are not."""
    app = QApplication.instance()
    if isinstance(app, QApplication):
        sheet = stylesheet(theme())
        if sheet != app.styleSheet():
            # WORKAROUND(Qt 6.11): replacing a stylesheet takes three times as long as removing it and setting another
            # (measured: 465 widgets, 1.13 s against 0.36 s); remove when it does not.
            app.setStyleSheet("")
            app.setPalette(make_palette(theme().tokens))
            app.setFont(theme().font())
            app.setStyleSheet(sheet)


def install_theme(app: QApplication) -> None:
    """Fusion, fonts, and the theme from now on, live. Call before the first widget; a second call does nothing."""
    if app.property("themed"):
        return
    app.setProperty("themed", True)
    app.setStyle("Fusion")
    load_fonts()
    theme().changed.connect(apply_theme)
    app.styleHints().colorSchemeChanged.connect(_system_scheme_changed)
    apply_theme()


def _system_scheme_changed() -> None:
    theme().follow_system()
