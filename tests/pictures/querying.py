"""SQL over loaded items, whole and partial, and PartiQL with what it will cost."""

from __future__ import annotations

from dynodesk.ui import actions
from dynodesk.ui.pages.partiql import PartiqlPage
from dynodesk.ui.pages.sql import SqlPage
from dynodesk.ui.pages.sql_queries import READY
from tests.pictures.taking import Camera, Steps

CHOSEN = ("POST#a91f", "POST#0c4e", "POST#5d19", "POST#c7a2", "POST#91d4", "POST#77b0")
"""Collections with drift in them."""
SCANNING = "SELECT * FROM Social WHERE SK = 'META'"


def sql(camera: Camera) -> Steps:
    camera.window.action(actions.SQL).trigger()
    yield lambda: camera.shows(SqlPage)
    page = camera.page(SqlPage)
    for name in ("sql", "sql-partial"):
        page.load_table("Social")
        yield camera.idle
        if name == "sql-partial":  # a budget that ends before the last of the chosen collections
            page.form.of_collections.setChecked(True)
            page.form.lines.edit.setPlainText("\n".join(CHOSEN))
            page.form.segments.setCurrentIndex(0)
            page.form.budget.setText("4")
        page.form.load_button.click()
        yield camera.idle
        page.editor.clear()
        page.sets.query_asked.emit(READY[0])
        yield camera.idle
        page.run_action.trigger()
        yield camera.idle
        if not page.result.chart.isVisible():
            page.result.chart_action.trigger()
        page.result.grid.setFocus()
        yield from camera.still()
        camera.take(name)


def partiql(camera: Camera) -> Steps:
    camera.window.action(actions.PARTIQL).trigger()
    yield lambda: camera.shows(PartiqlPage)
    page = camera.page(PartiqlPage)
    page.editor.setPlainText(SCANNING)
    yield lambda: page.query is not None and camera.idle()
    for _ in range(2):  # the first press says that all of the table is read
        page.run_action.trigger()
        yield camera.idle
    page.pane.grid.setFocus()
    yield from camera.still()
    page.pane.grid.setCurrentIndex(page.pane.model.index(0, 0))
    yield from camera.still()
    camera.take("partiql")
