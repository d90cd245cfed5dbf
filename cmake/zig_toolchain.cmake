# CMake toolchain for zig's clang and libc++, by the programs that packaging/zig/tools.sh writes. It is included with
# ZIG_TARGET set to the name of a folder of build/zig.
#
# The libraries come from that folder alone, never from the system, which has others or newer ones.
set(CMAKE_SYSTEM_NAME Linux)
if(NOT CMAKE_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_HOST_SYSTEM_PROCESSOR})
endif()
cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/zig/${ZIG_TARGET})
set(CMAKE_C_COMPILER ${root}/tools/zig-clang)
set(CMAKE_CXX_COMPILER ${root}/tools/zig-clang++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(CMAKE_FIND_ROOT_PATH ${root}/libraries)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${root}/libraries/lib/pkgconfig)

# zig's front of the linker knows no --push-state, which CMake would use.
foreach(language C CXX)
  set(CMAKE_${language}_LINK_LIBRARY_USING_WHOLE_ARCHIVE LINKER:--whole-archive <LINK_ITEM> LINKER:--no-whole-archive)
  set(CMAKE_${language}_LINK_LIBRARY_USING_WHOLE_ARCHIVE_SUPPORTED TRUE)
endforeach()
