# CMake toolchain for musl: packaging/static/musl.sh makes what it needs.
set(ZIG_TARGET musl)
include(${CMAKE_CURRENT_LIST_DIR}/zig_toolchain.cmake)
