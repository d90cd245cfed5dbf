# Finds the dependencies of the library (all from Debian 12, all private to libsched.so) and of the tests.
# packaging/apt.txt lists the packages.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SIMDJSON REQUIRED IMPORTED_TARGET simdjson>=3.0)
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma>=5.2)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd>=1.4)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1>=0.2)
pkg_check_modules(CURL IMPORTED_TARGET libcurl>=7.85)  # of libsched-net.so alone, which is switched off without it

if(LIBSCHED_BUILD_TESTS)
  find_package(doctest 2.4 REQUIRED)
  find_package(nlohmann_json 3.11 REQUIRED)
endif()
if(LIBSCHED_BUILD_TESTS OR LIBSCHED_BUILD_BENCH)
  pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson>=1.7)
endif()
if(LIBSCHED_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
