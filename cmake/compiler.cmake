# Language level and flags for every target of the project.
#
# -ffp-contract=off keeps floating-point results equal on every machine, and nothing is built with
# -march: kernels for newer instruction sets carry target attributes and are chosen at run time.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Outputs go to build/<preset>/lib/libsched.so and build/<preset>/bin/.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/archive)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

# Designated initialisers leave out zero members on purpose.
add_compile_options(-ffp-contract=off)
# Warnings take time. A wheel that compiles the whole library has none, because every other build has.
if(NOT LIBSCHED_PYTHON OR LIBSCHED_PREBUILT)
  add_compile_options(-Wall -Wextra -Wpedantic -Wno-missing-field-initializers)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)  # false alarms in std::string's +
endif()
# Debug information and __FILE__ have paths relative to the project, wherever it was built.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(LIBSCHED_WERROR)
  add_compile_options(-Werror)
endif()

# Decides whether misuse of handles is found (libsched.h, rule 9). All targets must agree, because the
# setting changes the layout of objects.
set(LIBSCHED_CHECK_HANDLES "AUTO" CACHE STRING "Find misused handles: ON, OFF, or AUTO: in debug builds")
if(LIBSCHED_CHECK_HANDLES STREQUAL "AUTO")
  add_compile_definitions(LIBSCHED_CHECK_HANDLES=$<CONFIG:Debug>)
else()
  add_compile_definitions(LIBSCHED_CHECK_HANDLES=$<BOOL:${LIBSCHED_CHECK_HANDLES}>)
endif()

if(LIBSCHED_SANITIZE)
  add_compile_options(-fsanitize=${LIBSCHED_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LIBSCHED_SANITIZE})
endif()
if(LIBSCHED_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
  # clang links C programs to a run time without the symbols that a sanitized C++ library needs.
  string(REPLACE "<CMAKE_C_COMPILER>" "<CMAKE_CXX_COMPILER>" CMAKE_C_LINK_EXECUTABLE "${CMAKE_C_LINK_EXECUTABLE}")
endif()
if(LIBSCHED_BUILD_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "LIBSCHED_BUILD_FUZZ needs clang (libFuzzer): use the preset 'fuzz'")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# GCC collects its garbage at 128 MB by default, again and again in a batch; at 512 MB it takes a twelfth
# less time and up to 850 MB. Objects are the same, so that ccache need not know.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=524288)
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CCACHE_PROGRAM ccache)
  mark_as_advanced(CCACHE_PROGRAM)
  if(CCACHE_PROGRAM)
    set(CMAKE_C_COMPILER_LAUNCHER env CCACHE_IGNOREOPTIONS=--param=ggc-min-* ${CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
  endif()
endif()
