"""What can be done on the Browse page. Esc, back and forward are the window's."""

from __future__ import annotations

from dynodesk.ui.actions import Action

RUN = Action("run-read", "Run the Query or Scan", "Read what the form asks for.", "Ctrl+Return", "play")
RERUN = Action("rerun-read", "Run again", "Read the same once more.", "F5", "refresh")
LOAD_MORE = Action("load-more", "Load more", "Read on where the last portion ended.", "Ctrl+Shift+Return", "arrow-down")
FOLLOW = Action("follow-edge", "Follow edge", "Open the selected item on the other side.", "Alt+Return", "arrow-right")
GROUPED = Action("grouped", "Grouped", "Group items under their partition key.", "Ctrl+G", "list-tree")
BESIDE = Action("beside", "Side by side", "Show a second view of the table at the right.", "Ctrl+B", "split-horizontal")
LINKED = Action("linked", "Linked", "Let a selection on one side drive the other.", "Ctrl+L", "link")
INSPECTOR = Action("inspector", "Inspector", "Show or hide the selected item whole.", "F4", "inspect")
