"""Users' projects, built against an install tree that has been moved since."""

import project
import pytest

CONSUMERS = project.ROOT / "tests" / "consumers"


def library_dir(prefix):
    return next(prefix.rglob("libsched.so")).parent


def check(folder, env=None):
    assert "libsched 0." in project.run(folder / "consumer_c", env=env)
    assert project.run(folder / "consumer_cpp", env=env) == "0 nodes\n"


def test_find_package(prefix, tmp_path):
    project.run("cmake", "-G", "Ninja", "-S", CONSUMERS / "find_package", "-B", tmp_path,
                f"-DCMAKE_PREFIX_PATH={prefix}")
    project.run("cmake", "--build", tmp_path)
    check(tmp_path)


def test_find_package_refuses_another_minor_version(prefix, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES C)\n"
        "find_package(libsched 0.99 REQUIRED)\n")
    out = project.run("cmake", "-G", "Ninja", "-S", source, "-B", tmp_path / "build",
                      f"-DCMAKE_PREFIX_PATH={prefix}", code=1)
    assert "not accepted" in " ".join(out.split()) or "compatible" in out


def test_pkg_config(prefix, tmp_path):
    libraries = library_dir(prefix)
    project.run("make", "-C", CONSUMERS / "pkg_config", f"OUT={tmp_path}",
                env={"PKG_CONFIG_PATH": str(libraries / "pkgconfig")})
    check(tmp_path, env={"LD_LIBRARY_PATH": str(libraries)})


def test_go_links_to_the_archive_if_there_is_one_and_else_to_the_library(prefix):
    env = {"PKG_CONFIG_PATH": str(library_dir(prefix) / "pkgconfig")}
    other = "libsched-static" if (library_dir(prefix) / "libsched.a").exists() else "libsched"
    flags, wanted = (project.run("pkg-config", "--cflags", "--libs", name, env=env) for name in ("libsched-go", other))
    assert sorted(flags.split()) == sorted(wanted.split())


@pytest.mark.parametrize("name", ["libsched.h", "libsched/base.h", "libsched/libsched.hpp", "libsched/plugin.hpp"])
def test_headers_are_installed(prefix, name):
    assert next(prefix.rglob(name)).is_file()


def test_only_public_headers_are_installed(prefix):
    assert not [path for path in prefix.rglob("*.hpp") if "libsched/base" in str(path)]
