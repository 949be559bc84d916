"""Browse: a collection beside an index, a filter in use, and what is known of a table."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from dynodesk.domain.expressions import parse_where
from dynodesk.domain.reads import ScanPlan
from dynodesk.ui import actions
from dynodesk.ui.pages.browse import BrowsePage
from dynodesk.ui.pages.browse_pane import CollectionPane
from dynodesk.ui.pages.table_details import TableDetailsPage
from tests.pictures.taking import Camera, Steps

FILTER = "rev > 30 AND (contains(title, 'take') OR begins_with(title, 'What') OR attribute_exists(note))"


def side_by_side(camera: Camera) -> Steps:
    camera.window.action(actions.OPEN_SANDBOX).trigger()
    yield lambda: camera.shows(BrowsePage)
    camera.window.action(actions.WALK).trigger()
    yield from camera.still()
    click(camera.page(BrowsePage).left, "LIKE#USER#7c20")
    yield camera.idle
    yield from camera.still()
    camera.take("browse")


def click(pane: CollectionPane, key: str) -> None:
    """On the row with a text in its first column."""
    grid = pane.grid
    (index,) = grid.model().match(grid.model().index(0, 0), Qt.ItemDataRole.DisplayRole, key)
    grid.scrollTo(index)
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.visualRect(index).center())


def to_browse(camera: Camera) -> Steps:
    page = next(page for page in camera.window.tabs.pages if isinstance(page, BrowsePage))
    camera.window.tabs.show_page(page)
    camera.window.activateWindow()  # off screen nobody does it where a dialog was closed
    yield lambda: camera.shows(BrowsePage) and camera.window.isActiveWindow()


def filtered(camera: Camera) -> Steps:
    yield from to_browse(camera)
    page = camera.page(BrowsePage)
    page.run_plan(ScanPlan("Social", filter=parse_where(FILTER)))
    yield camera.idle
    yield from camera.still()
    page.left.select(page.left.model.rows.entries[0].identity)
    yield camera.idle
    yield from camera.still()
    camera.take("filter")
    camera.window.action(actions.BACK).trigger()
    yield camera.idle


def details(camera: Camera) -> Steps:
    camera.window.action(actions.TABLE_DETAILS).trigger()
    yield lambda: camera.shows(TableDetailsPage)
    page = camera.page(TableDetailsPage)
    page.indexes.grid.setFocus()
    page.indexes.grid.setCurrentIndex(page.indexes.grid.model().index(0, 0))
    yield from camera.still()
    camera.take("table")
