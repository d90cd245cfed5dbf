# CMake toolchain for an old glibc, for wheels: packaging/wheel.sh makes what it needs.
set(ZIG_TARGET manylinux)
include(${CMAKE_CURRENT_LIST_DIR}/zig_toolchain.cmake)
