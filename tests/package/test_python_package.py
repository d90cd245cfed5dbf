"""The Python package of a checkout has the library that was built and tested, not another build of it."""

import json
import re
import shutil

import project


def installed():
    return next((project.ROOT / ".venv" / "lib").glob("python3*/site-packages/libsched"))


def test_the_package_holds_the_library_of_the_preset_release():
    held, = installed().glob("libsched.so*")
    assert held.read_bytes() == project.LIBRARY.read_bytes()


def test_the_module_finds_the_library_beside_itself():
    module, = installed().glob("_core*.so")
    dynamic = project.run("readelf", "-dW", module)
    held, = installed().glob("libsched.so*")
    assert f"[{held.name}]" in dynamic and "[$ORIGIN]" in dynamic


def test_the_package_has_nothing_of_the_tests(tmp_path):
    """Without the packages that a checkout installs beside it, it has no verb `evaluate`."""
    record = (next(installed().parent.glob("libsched-*.dist-info")) / "RECORD").read_text()
    files = [line.split(",")[0] for line in record.splitlines()]
    assert "libsched/cli/verbs.py" in files
    # libsched.testing is for the authors of plugins.
    assert not [name for name in files if re.search("evaluate|judging|trace|case|test(?!ing[.])", name)]
    shutil.copytree(installed(), tmp_path / "libsched")
    # -S: only the packages of PYTHONPATH.
    run = [project.ROOT / ".venv" / "bin" / "python", "-S", "-m", "libsched"]
    alone = {"PYTHONPATH": str(tmp_path)}
    assert "evaluate" not in project.run(*run, "--help", cwd=tmp_path, env=alone)
    refused = project.run(*run, "evaluate", cwd=tmp_path, env=alone, code=2)
    assert "there is no command 'evaluate'" in refused


def test_a_checkout_has_the_verb_evaluate():
    printed = project.run(project.ROOT / ".venv" / "bin" / "libsched", "evaluate",
                          text='{"name": "none", "pods": []}')
    assert json.loads(printed) == {"name": "none", "mode": "evaluate", "pods": []}
