"""Requests: a recipe, its rehearsal, a refusal laid over the actions, and the lesson on increments."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit

from dynodesk.ui import actions
from dynodesk.ui.dialogs.lesson import LessonDialog
from dynodesk.ui.dialogs.recipe import RecipeDialog
from dynodesk.ui.dialogs.rehearsal import RehearsalDialog
from dynodesk.ui.dialogs.run_request import RunRequestDialog
from dynodesk.ui.pages.compose import ComposePage
from tests.pictures.browsing import to_browse
from tests.pictures.taking import Camera, Steps

BOTO3 = 2
"""The tab of the request as code."""


def requests(camera: Camera) -> Steps:
    """A like that would be done, and one of somebody who has liked already. Nothing is written by either."""
    yield from to_browse(camera)
    camera.window.action(actions.NEW_REQUEST).trigger()
    yield lambda: camera.shows(ComposePage)
    yield from _like(camera, "nova")
    camera.take("recipe", camera.dialog(RecipeDialog))
    camera.dialog(RecipeDialog).go_button.click()
    yield camera.idle
    yield from camera.still()
    page = camera.page(ComposePage)
    page.rehearse_action.trigger()
    yield camera.asks
    rehearsal = camera.dialog(RehearsalDialog)
    yield from camera.still()
    camera.take("rehearsal", rehearsal)
    rehearsal.reject()
    yield from _like(camera, "7c20")
    camera.dialog(RecipeDialog).go_button.click()
    yield lambda: camera.shows(ComposePage) and camera.page(ComposePage) is not page
    camera.window.tabs.close_page(page)
    page = camera.page(ComposePage)
    page.preview.forms.setCurrentIndex(BOTO3)
    yield from camera.still()
    page.run()
    yield camera.asks
    camera.dialog(RunRequestDialog).go_button.click()
    yield camera.idle
    camera.window.activateWindow()  # off screen nobody does it where a dialog was closed
    page.panel.tree.setFocus()
    yield from camera.still()
    camera.take("requests")


def _like(camera: Camera, me: str) -> Steps:
    """The recipe, filled in for somebody."""
    camera.page(ComposePage).recipe_action.trigger()
    yield camera.asks
    field = camera.dialog(RecipeDialog).form.boxes["me"].focusProxy()
    assert isinstance(field, QLineEdit)
    field.setText(me)
    yield from camera.still()


def lesson(camera: Camera) -> Steps:
    camera.window.action(actions.LESSON).trigger()
    yield camera.asks
    dialog = camera.dialog(LessonDialog)
    dialog.start_button.click()
    yield lambda: dialog.start_button.isVisible() and camera.idle()
    yield from camera.still()
    camera.take("lesson", dialog)
    dialog.reject()
