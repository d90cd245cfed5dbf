"""Colour, tables, progress and odd characters."""

import io

import pytest

import libsched
from libsched.cli.progress import Progress, size_text
from libsched.cli.terminal import Terminal, table, visible


class Tty(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_colour(monkeypatch):
    assert Terminal(Tty()).paint("good", "x") == "\x1b[32mx\x1b[0m"
    assert Terminal(io.StringIO()).paint("good", "x") == "x"
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert Terminal(io.StringIO()).has_colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Terminal(Tty()).has_colour
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not Terminal(Tty()).has_colour


def test_nothing_steers_the_terminal():
    stream = Tty()
    terminal = Terminal(stream)
    terminal.warn("a\x1b[2Jb\u202e")
    terminal.error(libsched.InvalidError("x\ry", "p\x07"))
    assert "\x1b[2J" not in stream.getvalue() and "\r" not in stream.getvalue()
    assert visible("a\x1bb") == "a\\x1bb" and visible("ü ✓") == "ü ✓"


def test_table():
    assert table([["a", "1"], ["bcd", "20"]], right=(1,)) == ["  a     1", "  bcd  20"]
    assert table([]) == []


def test_progress(monkeypatch):
    quick = Tty()
    monkeypatch.setattr("sys.stderr", quick)
    with Progress("reading"):
        pass
    assert quick.getvalue() == ""
    monkeypatch.setattr("libsched.cli.progress._DELAY", 0)
    with Progress("judging", 100) as progress:
        progress.update(50, "50 cases")
        progress._stop.wait(0.3)
    assert "50%" in quick.getvalue() and "50 cases" in quick.getvalue()
    assert quick.getvalue().endswith("\r\x1b[K")
    silent = io.StringIO()
    monkeypatch.setattr("sys.stderr", silent)
    with Progress("judging") as progress:
        progress._stop.wait(0.2)
    assert silent.getvalue() == ""


def test_progress_texts():
    assert Progress("x", 10).text(1).startswith("x  " + "." * 24)
    assert "###" in Progress("x").text(3.14)
    assert [size_text(size) for size in (10, 5 << 20, 3 << 30)] == ["1 KB", "5.0 MB", "3.0 GB"]
