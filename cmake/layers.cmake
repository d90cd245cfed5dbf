# libsched_layer(NAME [RECURSE] [FAST|HOT] [LARGE] [LEVEL flag] [LAYERS before...] [LIBRARIES third-party...] [TEST_LAYERS before...] [TEST_LIBRARIES third-party...] [TEST_LEVEL flag])
# FAST prefers speed to compile time. HOT implies FAST and marks the code that decides about pods (see
# cmake/hardening.cmake). With LEVEL, optimised builds use that flag: -O3 takes half as long again as -O2 and is no
# faster for code without loops over nodes. LARGE lets batches be as large as those of other layers (cmake/batches.cmake).
#
# With TEST_LEVEL, optimised builds use that flag for the tests, for those that run longer than they compile.
#
# Makes the target libsched_<name> from the *.cpp of a folder and, with tests on, the doctest binary
# libsched_<name>_test from its *_test.cpp. The test links this layer as a whole but only the layers
# before it, so a reference to a later layer does not link; TEST_LAYERS and TEST_LIBRARIES are what only
# its tests need.
function(libsched_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RECURSE;FAST;HOT;LARGE" "LEVEL;TEST_LEVEL" "LAYERS;LIBRARIES;TEST_LAYERS;TEST_LIBRARIES")
  set(hot "")
  if(arg_HOT)
    set(hot HOT)
  endif()
  set(large "")
  if(arg_LARGE)
    set(large LARGE)
  endif()
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  if(arg_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  else()
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  endif()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")

  list(TRANSFORM arg_LAYERS PREPEND libsched_ OUTPUT_VARIABLE layers)
  list(TRANSFORM arg_TEST_LAYERS PREPEND libsched_ OUTPUT_VARIABLE test_layers)
  set(target libsched_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    if(arg_HOT OR arg_FAST)
      libsched_fast_batches(${target} ${large} ${sources})
    else()
      libsched_batches(${target} ${sources})
    endif()
    libsched_harden(${target} ${hot})
    if(arg_LEVEL)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${arg_LEVEL}>)
    endif()
    if(NOT arg_FAST)
      libsched_quickly_sanitized(${target})
    endif()
    if(arg_HOT)
      libsched_unguided(${target})
    endif()
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PUBLIC ${layers} PRIVATE ${arg_LIBRARIES})
    set(whole $<LINK_LIBRARY:WHOLE_ARCHIVE,${target}>)
  else()  # headers only
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} INTERFACE ${layers} ${arg_LIBRARIES})
    set(whole ${target})
  endif()

  if(LIBSCHED_SANITIZE STREQUAL "thread")
    libsched_only_thread_tests(tests)
  endif()
  if(LIBSCHED_BUILD_TESTS AND tests)
    libsched_doctest(${target}_test SOURCES ${tests} LIBRARIES ${whole} ${test_layers} ${arg_LIBRARIES} ${arg_TEST_LIBRARIES})
    if(arg_TEST_LEVEL)
      target_compile_options(${target}_test PRIVATE $<$<CONFIG:Release>:${arg_TEST_LEVEL}>)
    endif()
  endif()
endfunction()

# libsched_quickly_sanitized(target): compiles without optimisation under clang's sanitizers, which takes less
# than half the time and makes tests a third slower. Parsers are optimised, because fuzzers try as many inputs as they can.
function(libsched_quickly_sanitized target)
  if(LIBSCHED_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# libsched_unguided(target): leaves out the counters that guide libFuzzer, for code behind the parsers.
function(libsched_unguided target)
  if(LIBSCHED_BUILD_FUZZ)
    target_compile_options(${target} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
endfunction()

# libsched_only_thread_tests(list): removes the files without a test case that has "thread" in its name from
# a list of test files. ThreadSanitizer runs no other cases.
function(libsched_only_thread_tests list)
  set(kept "")
  foreach(file IN LISTS ${list})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} cases REGEX "TEST_CASE\\(\"[^\"]*thread")
    if(cases)
      list(APPEND kept ${file})
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# libsched_doctest(target SOURCES files LIBRARIES libs): a doctest binary, known to ctest.
function(libsched_doctest target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  if(NOT TARGET libsched_doctest_main)  # doctest itself, compiled once
    add_library(libsched_doctest_main OBJECT ${PROJECT_SOURCE_DIR}/tests/unit/main.cpp)
    target_link_libraries(libsched_doctest_main PRIVATE doctest::doctest)
    target_compile_options(libsched_doctest_main PRIVATE -O0)
  endif()
  add_executable(${target} ${arg_SOURCES} $<TARGET_OBJECTS:libsched_doctest_main>)
  libsched_batches(${target} ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} doctest::doctest)
  # Macros of doctest use __COUNTER__, which clang 22 calls an extension.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 22)
    target_compile_options(${target} PRIVATE -Wno-c2y-extensions)
  endif()
  # Test code takes longer to compile than to run, with sanitizers three times as long if optimised.
  target_compile_options(${target} PRIVATE -O0)
  libsched_unguided(${target})
  # Tests find the project's files (examples, goldens) by this path.
  target_compile_definitions(${target} PRIVATE
    DOCTEST_CONFIG_SUPER_FAST_ASSERTS  # makes each assertion a call instead of an inlined try block
    LIBSCHED_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unit)
  add_test(NAME ${target} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
