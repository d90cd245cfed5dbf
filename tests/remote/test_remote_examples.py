"""The servers of examples/remote, in every form, and plugins of other processes on the command line."""

import os
import shutil
import stat
import subprocess
import sys

import conftest
import pytest

SHOP = "examples/clusters/shop.yaml"
WEB = "examples/clusters/pods/web.yaml"


def explain(plugin, *options):
    command = [sys.executable, "-m", "libsched", "explain", SHOP, "--pod", WEB, "--plugin", plugin, "-o", "json", *options]
    return subprocess.run(command, cwd=conftest.ROOT, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def go_plugin(tmp_path_factory):
    """The reference server in Go."""
    go = shutil.which("go", path=os.pathsep.join([os.environ["PATH"], "/usr/local/go/bin"]))
    if go is None:
        pytest.skip("no Go")
    built = tmp_path_factory.mktemp("go") / "plugin"
    subprocess.run([go, "build", "-o", built, "."], cwd=conftest.EXAMPLES / "go", check=True)
    subprocess.run([go, "vet", "./..."], cwd=conftest.EXAMPLES / "go", check=True)
    return [str(built)]


def judged(server, command, form, tmp_path):
    address = conftest.address_of(form, tmp_path)
    server([*command, address])
    if form in ("unix", "http+unix"):
        assert stat.S_IMODE(os.stat(address.partition(":")[2]).st_mode) == 0o600
    done = explain(f"QuietZones={address}")
    assert done.returncode in (0, 1), done.stderr
    assert "node(s) were in a loud zone" in done.stdout
    return done.stdout


@pytest.mark.parametrize("form", ["unix", "tcp", "http+unix", "http"])
def test_python_and_go_judge_the_same(server, tmp_path, form, go_plugin):
    python = judged(server, conftest.python(conftest.EXAMPLES / "python/quiet_zones.py"), form, tmp_path)
    assert judged(server, go_plugin, form, tmp_path) == python


def test_thirty_lines(tmp_path):
    script = conftest.EXAMPLES / "python/thirty_lines.py"
    assert len(script.read_text().split('"""')[2].strip().splitlines()) <= 30
    port = conftest.free_port()
    plugin = subprocess.Popen(conftest.python(script, port), stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            done = explain(f"Odd=http://127.0.0.1:{port}")
            if "refused" not in done.stderr:
                break
        assert "node is odd" in done.stdout, done.stderr
    finally:
        plugin.kill()
        plugin.wait()


def test_the_command_line_names_what_is_wrong():
    for plugin, text in (("Odd=unix:/nowhere/at.sock", "--plugin: unix:/nowhere/at.sock: connect: No such file"),
                         ("Odd=unix:/x,quick", '--plugin: the plugin "Odd" has the unknown option "quick"'),
                         ("Odd=tcp:x", "--plugin: the address \"tcp:x\" is not of the form tcp:HOST:PORT")):
        done = explain(plugin)
        assert done.returncode == 2 and text in done.stderr, done.stderr


def test_without_the_library_the_error_names_it(tmp_path):
    """The package works without libsched-net.so, and says what is missing."""
    import libsched
    package = os.path.dirname(libsched.__file__)
    copy = tmp_path / "libsched"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("libsched-net.so*", "__pycache__"))
    done = subprocess.run(
        [sys.executable, "-c", "import libsched; libsched.Framework(plugins=['Odd=unix:/x'])"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "UnsupportedError: this needs libsched-net.so, which cannot be loaded" in done.stderr, done.stderr
