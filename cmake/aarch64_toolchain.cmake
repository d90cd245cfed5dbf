# CMake toolchain for tests for aarch64, with libc++ and musl: packaging/zig/unit.sh makes what it needs.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(ZIG_TARGET aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/zig_toolchain.cmake)
