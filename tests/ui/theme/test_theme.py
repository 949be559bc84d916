"""Facts about the look: contrast, shapes that differ without colour, one palette switch, plain text."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QPushButton, QTableView, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from dynodesk.ui import theme
from dynodesk.ui.theme import icons
from dynodesk.ui.theme.tokens import CONTRAST, contrast


@pytest.mark.parametrize("scheme", [theme.LIGHT, theme.DARK], ids=lambda t: t.scheme)
def test_every_ink_reaches_its_contrast_on_every_ground(scheme: theme.Tokens) -> None:
    below = [
        f"{ink} on {ground}"
        for ink, ground, floor in CONTRAST
        if contrast(getattr(scheme, ink), getattr(scheme, ground)) < floor
    ]
    assert below == []


def test_contrast_of_known_pairs() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.478, abs=0.001)


def painted(shape: str) -> QImage:
    picture = QImage(12, 12, QImage.Format.Format_ARGB32)
    picture.fill(Qt.GlobalColor.white)
    painter = QPainter(picture)
    theme.draw_shape(painter, QRectF(0, 0, 12, 12), shape, QColor("black"))
    painter.end()
    return picture


def test_verdicts_differ_by_shape_alone() -> None:
    pictures = {verdict: painted(shape) for verdict, (_, shape) in theme.VERDICTS.items()}
    blank = painted("")
    for (one, a), (other, b) in combinations([*pictures.items(), ("nothing", blank)], 2):
        differing = sum(
            abs(a.pixelColor(x, y).lightness() - b.pixelColor(x, y).lightness()) > 64
            for x in range(12)
            for y in range(12)
        )
        assert differing >= 8, f"{one} looks like {other} at 12 px"


def test_a_change_of_scheme_needs_no_rebuild(qapp: QApplication, qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    layout = QVBoxLayout(page)
    label, button = theme.Text("likeTally 41"), QPushButton("Run")
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the focus ring comes when the window becomes active
    layout.addWidget(label)
    layout.addWidget(button)
    page.resize(200, 80)
    page.show()

    def picture_in(scheme: theme.Tokens) -> QImage:
        qapp.setPalette(theme.palette_of(scheme))
        qtbot.waitUntil(lambda: page.palette().color(QPalette.ColorRole.Window) == QColor(scheme.window))
        return page.grab().toImage()

    before, after = picture_in(theme.LIGHT), picture_in(theme.DARK)
    assert before.pixelColor(1, 1) == QColor(theme.LIGHT.window)
    assert after.pixelColor(1, 1) == QColor(theme.DARK.window)
    brightest = max(after.pixelColor(x, y).lightness() for x in range(200) for y in range(80))
    assert brightest > 200, "text stayed dark on the dark ground"
    assert picture_in(theme.LIGHT) == before


def test_the_follower_obeys_a_choice_over_the_system(qapp: QApplication) -> None:
    follower = theme.SchemeFollower(qapp)
    assert follower.tokens is theme.system_tokens(qapp)
    follower.choose("dark")
    assert theme.tokens() is theme.DARK
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme.tokens() is theme.DARK
    follower.choose("light")
    assert theme.tokens() is theme.LIGHT
    follower.deleteLater()


def test_labels_show_markup_as_typed(qtbot: QtBot) -> None:
    label = theme.Text("<b>bold</b>")
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert label.sizeHint().width() >= theme.face().measure.horizontalAdvance("<b>bold</b>")
    narrow = theme.Text("bold")
    qtbot.addWidget(narrow)
    for widget in (label, narrow):
        widget.resize(200, 24)
    marked, plain = label.grab().toImage(), narrow.grab().toImage()
    ink = [x for x in range(60, 200) for y in range(24) if marked.pixelColor(x, y) != plain.pixelColor(x, y)]
    assert ink, "the tags were taken as markup"


def test_every_named_icon_is_in_the_font(qapp: QApplication) -> None:
    names = (
        "plug beaker cloud table list-tree law checklist play debug-stop refresh add close copy export filter "
        "search settings collapse-all list-selection arrow-left arrow-right chevron-down chevron-right triangle-up "
        "triangle-down link ellipsis warning error question bug pass sync lock shield server key workspace-trusted"
    )
    for name in names.split():
        assert icons.has_icon(name), name
        picture = theme.icon(name).pixmap(16, 16).toImage()
        assert any(picture.pixelColor(x, y).alpha() for x in range(16) for y in range(16)), f"{name} is blank"


def test_lengths_grow_with_the_font(qapp: QApplication) -> None:
    small = theme.metrics()
    usual = qapp.font()
    large_font = QFont(usual)
    large_font.setPointSizeF(18)
    qapp.setFont(large_font)
    large, wide = theme.metrics(), theme.px(100)
    qapp.setFont(usual)
    assert large.row > small.row
    assert large.control > small.control
    assert wide > 130


def test_entity_tints_stay_with_their_word() -> None:
    assert theme.entity_ink("LIKE") == theme.entity_ink("LIKE")
    assert {theme.entity_ink(word) for word in ("LIKE", "POST", "USER", "META", "WS")} <= {
        "ink_blue",
        "ink_rose",
        "ink_teal",
        "ink_ochre",
        "ink_green",
        "ink_violet",
    }


def grid_of(row: theme.Row, qtbot: QtBot) -> QImage:
    view = QTableView()
    qtbot.addWidget(view)
    model = QStandardItemModel(1, len(row.cells), view)
    for column, cell in enumerate(row.cells):
        item = QStandardItem(cell.text)
        item.setData(cell, theme.CELL)
        item.setData(row, theme.ROW)
        model.setItem(0, column, item)
    view.setModel(model)
    view.setItemDelegate(theme.GridDelegate(view))
    view.verticalHeader().hide()
    view.horizontalHeader().hide()
    view.resize(400, 60)
    return view.grab().toImage()


def test_missing_null_and_empty_cells_look_different(qtbot: QtBot) -> None:
    kinds = [
        theme.Cell(kind="missing"),
        theme.Cell("NULL", "null"),
        theme.Cell('""', "empty"),
        theme.Cell(kind="unprojected"),
        theme.Cell("", "S"),
    ]
    pictures = [grid_of(theme.Row((cell,)), qtbot) for cell in kinds]
    for a, b in combinations(pictures, 2):
        assert a != b


@pytest.mark.parametrize("side", [Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight], ids=lambda side: side.name)
@pytest.mark.parametrize("order", list(Qt.SortOrder), ids=lambda order: order.name)
def test_the_arrow_of_a_sorted_column_is_that_of_its_menu_beside_its_own_title(
    qtbot: QtBot, side: Qt.AlignmentFlag, order: Qt.SortOrder
) -> None:
    model = QStandardItemModel(1, 3)
    for column, title in enumerate(("one", "two", "three")):
        head = QStandardItem(title)
        head.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        model.setHorizontalHeaderItem(column, head)
    view = QTableView()
    qtbot.addWidget(view)
    view.setModel(model)
    view.resize(640, 120)
    header = view.horizontalHeader()
    for column in range(3):
        header.resizeSection(column, 200)
    header.setSortIndicatorShown(True)
    header.setSortIndicator(1, order)
    view.show()
    picture = header.viewport().grab().toImage()
    accent = theme.LIGHT.color("accent")
    inked = [
        (x, y)
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y).name() == accent.name()
    ]
    left, right = min(x for x, _ in inked), max(x for x, _ in inked)
    if side == Qt.AlignmentFlag.AlignRight:
        assert 330 < left < right < 400
    else:
        assert 200 < left < right < 270
    rows = sorted({y for _, y in inked})
    header.setSortIndicatorShown(False)
    plain = header.viewport().grab().toImage()
    titles = [
        [x for x in range(202, 398) if any(one.pixelColor(x, y).lightness() < 150 for y in range(4, one.height() - 4))]
        for one in (picture, plain)
    ]
    edge = -1 if side == Qt.AlignmentFlag.AlignRight else 0
    assert titles[0][edge] == titles[1][edge], "the title stays where it is"
    widths = [sum(at == y for _, at in inked) for y in (rows[0], rows[-1])]
    assert (widths[0] < widths[1]) is (order == Qt.SortOrder.AscendingOrder), "ascending points up"


def test_cells_show_markup_as_typed(qtbot: QtBot) -> None:
    marked = grid_of(theme.Row((theme.Cell("<b>x</b>"),)), qtbot)
    plain = grid_of(theme.Row((theme.Cell("x"),)), qtbot)
    assert marked != plain
