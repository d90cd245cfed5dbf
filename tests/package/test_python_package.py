"""The Python package of a checkout holds the library that was built and tested, not another build of it."""

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
