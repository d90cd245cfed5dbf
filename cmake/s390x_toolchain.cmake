# CMake toolchain for tests for s390x, with libc++ and musl: packaging/zig/unit.sh makes what it needs.
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(ZIG_TARGET s390x)
include(${CMAKE_CURRENT_LIST_DIR}/zig_toolchain.cmake)
