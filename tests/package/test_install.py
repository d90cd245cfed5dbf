"""`make install` makes a tree that can be moved, with the command line, and writes nothing else; `make uninstall` removes it."""

import os
import shutil

import project
import pytest

INSTALL = project.ROOT / "packaging" / "install.sh"
MANIFEST = "lib/libsched/install_manifest.txt"
PREFIX = "/opt/libsched-test"
SHOP = project.ROOT / "examples" / "clusters" / "shop.yaml"
TRAIN = project.ROOT / "examples" / "clusters" / "pods" / "train.yaml"


def install(*arguments, code=0, **env):
    return project.run(INSTALL, *arguments, code=code, env=env)


def content(folder):
    """Every file and folder below a folder, with what is in it or where it points."""
    found = {}
    for path in sorted(folder.rglob("*")):
        found[str(path.relative_to(folder))] = (
            os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None)
    return found


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """(the destination, the home of the user), after an installation."""
    top = tmp_path_factory.mktemp("install")
    (top / "home").mkdir()
    install(DESTDIR=str(top / "dest"), PREFIX=PREFIX, HOME=str(top / "home"))
    return top / "dest", top / "home"


@pytest.fixture(scope="module")
def tree(folders):
    return folders[0] / PREFIX[1:]


@pytest.fixture(scope="module")
def moved(tree):
    """A copy at another place."""
    there = tree.parents[2] / "moved"
    shutil.copytree(tree, there, symlinks=True)
    return there


def test_nothing_is_written_elsewhere(folders):
    dest, home = folders
    assert [str(path.relative_to(dest)) for path in dest.glob("*/*")] == [PREFIX[1:]]
    assert not list(home.rglob("*")) and not os.path.exists(PREFIX)


def test_the_manifest_lists_all_that_is_there(tree):
    listed = (tree / MANIFEST).read_text().splitlines()
    there = {name if what is not None else f"{name}/" for name, what in content(tree).items()}
    assert len(set(listed)) == len(listed) and set(listed) == there | {"./"}


def test_a_second_installation_changes_nothing(folders, tree):
    before = content(tree)
    install(DESTDIR=str(folders[0]), PREFIX=PREFIX)
    assert content(tree) == before


def test_the_command_line_works_wherever_it_is(moved, tmp_path):
    """Also through a link, and beside modules with the names of Python's own."""
    (moved / "bin" / "json.py").write_text("raise SystemExit('not this one')\n")
    (tmp_path / "linked").symlink_to(moved / "bin" / "libsched")
    env = {"PYTHONPATH": "", "LD_LIBRARY_PATH": "", "HOME": str(tmp_path)}
    said = project.run(tmp_path / "linked", "fit", SHOP, "--pod", TRAIN, cwd=tmp_path, env=env)
    assert "\nml/train: fits 2 of 41 nodes\n" in said
    assert project.run(moved / "bin" / "libsched", "--version", cwd=tmp_path, env=env).startswith("libsched 0.")
    assert "kubectl libsched why" in project.run(moved / "bin" / "kubectl-libsched", "--help", cwd=tmp_path, env=env)


def test_the_libraries_are_stored_once(tree):
    package = tree / "lib" / "libsched" / "python" / "libsched"
    links = [path for path in package.iterdir() if ".so." in path.name]
    assert links and all(path.is_symlink() and path.resolve().parent == tree / "lib" for path in links)
    assert (package / links[0].name).exists()


def test_there_are_manual_pages_and_completion(tree):
    share = tree / "share"
    assert (share / "man/man1/libsched.1").exists() and (share / "man/man1/libsched-fit.1").exists()
    assert (share / "man/man1/kubectl-libsched.1").exists()
    files = {"bash": "bash-completion/completions/libsched", "zsh": "zsh/site-functions/_libsched",
             "fish": "fish/vendor_completions.d/libsched.fish"}
    for shell, name in files.items():
        text = (share / name).read_text()
        assert f"'libsched completion {shell}'" in text and "kubectl-line" in text
        assert "evaluate" not in text, "a verb that only a checkout has"


def test_there_is_what_c_programs_need(tree, tmp_path):
    env = {"PKG_CONFIG_PATH": str(tree / "lib" / "pkgconfig")}
    flags = project.run("pkg-config", "--cflags", "--libs", "libsched", env=env).split()
    project.run("gcc", "-x", "c", "-", "-x", "none", *flags, f"-Wl,-rpath,{tree / 'lib'}", "-o", tmp_path / "program",
                text="#include <libsched.h>\nint main(void) { return libsched_version()[0] != '0'; }\n")
    project.run(tmp_path / "program")


def test_it_says_what_to_set(tmp_path):
    there = tmp_path / "there"
    said = install(PREFIX=str(there), PYTHON="no", PATH=os.environ["PATH"])
    assert "the command line is left out: PYTHON=no" in said and not (there / "bin").exists()
    assert f"export PKG_CONFIG_PATH={there}/lib/pkgconfig" in said
    assert f"export LD_LIBRARY_PATH={there}/lib" in said


def test_uninstall_removes_what_was_installed_and_nothing_else(tmp_path):
    there = tmp_path / "there"
    (there / "include").mkdir(parents=True)  # empty, but not made by the installation
    env = {"PREFIX": str(there), "PYTHON": "no"}
    install(**env)
    (there / "share" / "doc" / "other").mkdir()
    assert (there / "include" / "libsched.h").exists()
    said = install("--uninstall", **env)
    assert f"removed from {there}" in said
    assert set(content(there)) == {"include", "share", "share/doc", "share/doc/other"}
    refused = install("--uninstall", code=1, **env)
    assert "nothing is removed" in refused


def test_a_newer_version_takes_the_files_of_the_older_one_away(tmp_path):
    there = tmp_path / "there"
    env = {"PREFIX": str(there), "PYTHON": "no"}
    install(**env)
    (there / "lib" / "old").mkdir()
    (there / "lib" / "old" / "file").write_text("")
    with (there / MANIFEST).open("a") as manifest:
        manifest.write("lib/old/file\nlib/old/\n")
    install(**env)
    assert not (there / "lib" / "old").exists() and (there / "lib" / "libsched.so").exists()
    install("--uninstall", **env)
    assert not there.exists()


def test_a_manifest_that_names_files_elsewhere_is_refused(tmp_path):
    (tmp_path / "keep").write_text("")
    manifest = tmp_path / "there" / MANIFEST
    manifest.parent.mkdir(parents=True)
    manifest.write_text("lib/../../keep\n")
    said = install("--uninstall", code=1, PREFIX=str(tmp_path / "there"))
    assert "names files outside of" in said and (tmp_path / "keep").exists()


@pytest.mark.parametrize("env,said", [({"PREFIX": "/"}, "PREFIX is /"), ({"PYTHON": "/bin/true"}, "is no Python 3.")])
def test_what_cannot_be_installed_is_refused(tmp_path, env, said):
    assert said in install(code=1, **{"DESTDIR": str(tmp_path / "dest"), **env})
    assert not (tmp_path / "dest").exists()
