"""Mistakes that no type checker or linter knows, looked for in the source. Each rule is shown one it must catch."""

import ast
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "dynodesk"


@dataclass(frozen=True)
class Rule:
    """Source that may not stand in `where`, save in `except_in` (files, or folders ending in a slash)."""

    name: str
    offends: Callable[[ast.AST], bool]
    where: tuple[str, ...]
    except_in: tuple[str, ...] = ()
    caught: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

    def applies_to(self, path: str) -> bool:
        return path.startswith(self.where) and not (self.except_in and path.startswith(self.except_in))

    def offences(self, source: str) -> Iterator[int]:
        """The lines that break the rule."""
        yield from (getattr(node, "lineno", 0) for node in nodes(source) if self.offends(node))


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(source)))


def called(node: ast.AST) -> tuple[str, str]:
    """Of a call, the source of what is left of the last dot, and the name that is called; else two empty texts."""
    if not isinstance(node, ast.Call):
        return "", ""
    if isinstance(node.func, ast.Attribute):
        return ast.unparse(node.func.value), node.func.attr
    return "", ast.unparse(node.func)


def connects_a_lambda(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or called(node)[1] != "connect":
        return False
    return any(isinstance(part, ast.Lambda) for argument in node.args for part in ast.walk(argument))


def runs_a_nested_loop(node: ast.AST) -> bool:
    receiver, name = called(node)
    return name in {"exec", "exec_"} and receiver not in {"", "app", "application", "QApplication", "self._application"}


def outlives_its_receiver(node: ast.AST) -> bool:
    """A call later that only knows what to call: milliseconds, a kind of timer perhaps, and the function."""
    if not isinstance(node, ast.Call) or called(node)[1] != "singleShot":
        return False
    rest = [one for one in node.args[1:] if "TimerType" not in ast.unparse(one)]
    return len(rest) < len(("receiver", "function"))


def asks_by_a_static_call(node: ast.AST) -> bool:
    receiver, name = called(node)
    asker = receiver.rpartition(".")[2] in {"QMessageBox", "QFileDialog", "QInputDialog", "QColorDialog", "QFontDialog"}
    return asker and name[:1].islower()


def processes_events(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "processEvents"


def makes_a_label(node: ast.AST) -> bool:
    if isinstance(node, ast.ClassDef):
        return any(ast.unparse(base).rpartition(".")[2] == "QLabel" for base in node.bases)
    return called(node)[1] == "QLabel"


def makes_a_client(node: ast.AST) -> bool:
    return called(node)[1] in {"client", "create_client", "resource"}


def trusts_any_server(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    return any(
        word.arg == "verify" and isinstance(word.value, ast.Constant) and word.value.value is False
        for word in node.keywords
    )


WINDOW = ("ui/", "gui.py")
EVERYWHERE = ("",)

RULES = (
    Rule(
        # The lambda holds `self`, so the page it belongs to is never freed; a bound method does not.
        "no lambda is connected to a signal",
        connects_a_lambda,
        WINDOW,
        caught=("button.clicked.connect(lambda: self.go())", "a.b.connect(partial(run, key=1) or (lambda: 2))"),
        allowed=("button.clicked.connect(self.go)", "rows.sort(key=lambda row: row.name)"),
    ),
    Rule(
        # It blocks the caller, and a test, until someone answers; `open()` and `finished` do not.
        "no dialog runs a loop of its own",
        runs_a_nested_loop,
        WINDOW,
        except_in=("ui/asking.py",),
        caught=("dialog.exec()", "QMenu(self).exec(place)", "super().exec()", "self.dialog.exec_()"),
        allowed=("app.exec()", "dialog.open()", "menu.popup(place)"),
    ),
    Rule(
        # It is called all the same when its widget was deleted meanwhile, and fails.
        "what is called later goes with its receiver",
        outlives_its_receiver,
        WINDOW,
        caught=("QTimer.singleShot(0, self.setFocus)", "QTimer.singleShot(9, Qt.TimerType.CoarseTimer, box.hide)"),
        allowed=("QTimer.singleShot(0, self, self.setFocus)", "QTimer.singleShot(0, box, partial(box.setText, 'a'))"),
    ),
    Rule(
        "questions are asked through ui/asking.py",
        asks_by_a_static_call,
        WINDOW,
        except_in=("ui/asking.py",),
        caught=("QMessageBox.warning(self, 'a', 'b')", "QtWidgets.QFileDialog.getOpenFileName(self)"),
        allowed=("QFileDialog.Option.DontUseNativeDialog", "dialog.getOpenFileName()"),
    ),
    Rule(
        # It re-enters code that is half done.
        "events are not processed by hand",
        processes_events,
        EVERYWHERE,
        caught=("QApplication.processEvents()", "tick.connect(self.app.processEvents)"),
        allowed=("self.process_events()",),
    ),
    Rule(
        # A plain QLabel takes a value of the table for markup when it looks like it.
        "labels are the theme's plain Text",
        makes_a_label,
        WINDOW,
        except_in=("ui/theme/",),
        caught=("QLabel('a')", "QtWidgets.QLabel(self)", "class Note(QLabel): pass"),
        allowed=("Text('a')", "def caption() -> QLabel: ...", "isinstance(child, QLabel)"),
    ),
    Rule(
        # Elsewhere it would have other retries, other time limits and no list of permitted operations.
        "clients are made in aws/clients.py",
        makes_a_client,
        EVERYWHERE,
        except_in=("aws/clients.py",),
        caught=("boto3.client('dynamodb')", "session.create_client('sts')", "boto3.Session().resource('dynamodb')"),
        allowed=("clients.reading", "self.client"),
    ),
    Rule(
        "certificates are always checked",
        trusts_any_server,
        EVERYWHERE,
        caught=("session.create_client('dynamodb', verify=False)",),
        allowed=("create(verify=True)", "create(verify=bundle)", "create(check=False)"),
    ),
)


@pytest.fixture(scope="module", autouse=True)
def forgotten_afterwards() -> Iterator[None]:
    """The trees are millions of objects, which each collection of garbage would go through from here on."""
    yield
    nodes.cache_clear()


BY_NAME = pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.name))


@BY_NAME
def test_the_source_keeps(rule: Rule) -> None:
    files = {file.relative_to(PACKAGE).as_posix(): file for file in sorted(PACKAGE.rglob("*.py"))}
    looked_at = [path for path in files if rule.applies_to(path)]
    assert looked_at
    broken = [
        f"dynodesk/{path}:{line}"
        for path in looked_at
        for line in rule.offences(files[path].read_text(encoding="utf-8"))
    ]
    assert broken == []


@BY_NAME
def test_the_rule_catches_what_it_is_for(rule: Rule) -> None:
    assert rule.caught
    for snippet in rule.caught:
        inside = f"class Page:\n    def build(self):\n{textwrap.indent(snippet, ' ' * 8)}"
        assert list(rule.offences(snippet)) == [1], snippet
        assert list(rule.offences(inside)) == [3], snippet


@BY_NAME
def test_the_rule_lets_pass_what_is_right(rule: Rule) -> None:
    for snippet in rule.allowed:
        assert list(rule.offences(snippet)) == [], snippet


def test_a_rule_spares_its_exceptions_only() -> None:
    rule = next(rule for rule in RULES if rule.name == "no dialog runs a loop of its own")
    assert rule.applies_to("ui/pages/browse.py")
    assert rule.applies_to("gui.py")
    assert not rule.applies_to("ui/asking.py")
    assert not rule.applies_to("aws/reader.py")
