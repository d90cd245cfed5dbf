# CMake toolchain for musl: zig's clang and libc++, by the programs that packaging/static/musl.sh writes.
#
# The libraries come from build/musl-dependencies alone, never from the system, which has glibc's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_HOST_SYSTEM_PROCESSOR})
cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build)
set(CMAKE_C_COMPILER ${root}/musl-tools/musl-clang)
set(CMAKE_CXX_COMPILER ${root}/musl-tools/musl-clang++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # nothing here is linked

set(CMAKE_FIND_ROOT_PATH ${root}/musl-dependencies)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${root}/musl-dependencies/lib/pkgconfig)
