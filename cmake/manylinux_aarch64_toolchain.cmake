# CMake toolchain for an old glibc of aarch64, for wheels and the Go module: packaging/zig/tools.sh makes what it needs.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(ZIG_TARGET manylinux_aarch64)
# Those of another machine make archives without an index.
find_program(CMAKE_AR NAMES aarch64-linux-gnu-ar REQUIRED)
find_program(CMAKE_RANLIB NAMES aarch64-linux-gnu-ranlib REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/zig_toolchain.cmake)
