"""All that the README names, on bare machines of Debian 12 and 13: the two commands, installation, wheel and packages."""

import pytest
import roots

PREFIX = "/opt/libsched"


@pytest.fixture(name="machine", scope="module", params=["bookworm", "trixie"])
def bare_machine(request, tmp_path_factory):
    """A machine on which nothing was done yet."""
    made = roots.Machine(request.param, tmp_path_factory.mktemp(request.param) / "root")
    yield made
    made.remove()


def test_the_first_command(machine):
    assert "ml/train: fits 2 of 41 nodes\n" in machine.run("make", "demo")


def test_the_second_command(machine):
    passed, failed = roots.closing_line(machine.run("env", "REQUIRE_ALL=1", "make", "test"))
    assert passed > 10_000 and failed == 0


def test_install_and_uninstall(machine):
    before = machine.files()
    machine.run("make", "install", f"PREFIX={PREFIX}")
    said = machine.run(f"{PREFIX}/bin/libsched", "fit", "examples/clusters/shop.yaml", "--pod", "examples/clusters/pods/train.yaml")
    assert said.startswith("ml/train: fits 2 of 41 nodes\n")
    machine.run("make", "uninstall", f"PREFIX={PREFIX}")
    assert not [path for path in machine.files() - before if path.startswith(PREFIX[1:])]


def test_the_wheel(machine):
    machine.run("make", "wheel")
    assert "manylinux_2_28" in machine.run("ls", "build/wheels")


def test_the_packages(machine):
    codename = machine.run("sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME").strip()
    machine.run("make", "deb", f"CODENAMES={codename}")
    assert len(machine.run("sh", "-c", "ls build/debs/*/*.deb").splitlines()) == 5
