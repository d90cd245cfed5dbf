"""The examples of plugins: the program runs, and so do the cells of the notebook."""

import json
import pathlib
import runpy

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def test_the_carbon_plugin_prefers_the_cleanest_zone(capsys, monkeypatch):
    monkeypatch.chdir(EXAMPLES.parent)
    runpy.run_path(str(EXAMPLES / "plugins" / "python" / "carbon.py"), run_name="__main__")
    assert capsys.readouterr().out.split()[1] == "98"


def test_the_notebooks_cells_run_and_its_outputs_are_stored():
    notebook = json.loads((EXAMPLES / "notebooks" / "carbon_aware.ipynb").read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] for cell in cells[-2:])
    pytest.importorskip("matplotlib").use("Agg")
    names: dict = {}
    for cell in cells:
        exec(compile("".join(cell["source"]), "carbon_aware.ipynb", "exec"), names)
