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


def test_a_gang_is_bound_as_a_whole_or_not_at_all(capsys):
    path = str(EXAMPLES / "plugins" / "python" / "gang.py")
    runpy.run_path(path, run_name="__main__")
    assert capsys.readouterr().out.splitlines() == [
        "room for 4: bound []", "room for 5: bound ['p0', 'p1', 'p2', 'p3', 'p4']"]
    run = runpy.run_path(path)["run"]
    bound, ends, cluster = run(4)
    assert not bound and not list(cluster.pods)  # all are released
    assert [end.stage for end in ends] == ["failed"] * 5
    assert "rejected due to timeout after waiting 30s at plugin Gang" in str(ends[0].status)
    assert "a member of the gang failed" in str(ends[1].status)
    assert "Insufficient cpu" in str(ends[4].status)


def test_the_notebooks_cells_run_and_its_outputs_are_stored():
    notebook = json.loads((EXAMPLES / "notebooks" / "carbon_aware.ipynb").read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] for cell in cells[-2:])
    pytest.importorskip("matplotlib").use("Agg")
    names: dict = {}
    for cell in cells:
        exec(compile("".join(cell["source"]), "carbon_aware.ipynb", "exec"), names)
