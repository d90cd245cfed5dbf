# CMake toolchain for tests with libc++ and musl: packaging/zig/unit.sh makes what it needs.
set(ZIG_TARGET libcxx)
include(${CMAKE_CURRENT_LIST_DIR}/zig_toolchain.cmake)
