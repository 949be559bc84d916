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
FILTER = Action(
    "filter-read", "Filter", "Let a Query or Scan return only items that meet conditions.", "Ctrl+Alt+F", "add"
)
OPTIONS = Action(
    "read-options",
    "Options",
    "Attributes to return, how much to read at a press, segments, rate, and the request itself.",
    "Ctrl+Alt+O",
    "settings",
)
COPY_REQUEST_JSON = Action("copy-request-json", "Copy request as JSON", "Copy what is sent, as DynamoDB JSON.")
COPY_REQUEST_BOTO3 = Action("copy-request-boto3", "Copy request as Python", "Copy a call of boto3 that sends the same.")
COPY_REQUEST_CLI = Action(
    "copy-request-cli", "Copy request as CLI", "Copy a command of the AWS CLI that sends the same."
)
