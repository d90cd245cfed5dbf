# libsched.a (option LIBSCHED_STATIC): everything in one object, with all libraries that libsched needs but the C library.
#
# It is merged from the objects of libsched.so. Only libsched_* stay global, so that a program can have libraries of
# the same names and another C++ library. Three steps make that safe:
#  - Section groups are dissolved, because the linker drops a group that the program has as well, by its name, even
#    if it is local.
#  - Unique symbols, which objcopy does not make local, become weak first.
#  - The unwinder is told about the tables (capi/src/static/unwind_frames.c).
if(LIBSCHED_SANITIZE OR LIBSCHED_BUILD_FUZZ)
  message(FATAL_ERROR "LIBSCHED_STATIC: an archive cannot have a sanitizer's run time inside")
endif()
# GNU's, that of the machine: others cannot dissolve groups.
find_program(LIBSCHED_LD NAMES ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu-ld.bfd ld.bfd REQUIRED)
find_program(LIBSCHED_OBJCOPY NAMES ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu-objcopy objcopy REQUIRED)
mark_as_advanced(LIBSCHED_LD LIBSCHED_OBJCOPY)
set(LIBSCHED_SIMDJSON_SOURCE ${PROJECT_SOURCE_DIR}/build/sources/simdjson CACHE PATH
  "Sources of simdjson, for libsched.a on systems without its archive (packaging/static/sources.sh)")
set(LIBSCHED_STATIC_RUNTIME "" CACHE STRING
  "Archives of the C++ library, the unwinder and the compiler, for libsched.a; empty: GCC's")

set(archives "")
foreach(name yaml z lzma zstd re2 simdjson)
  find_library(LIBSCHED_ARCHIVE_${name} NAMES lib${name}.a)
  mark_as_advanced(LIBSCHED_ARCHIVE_${name})
  if(LIBSCHED_ARCHIVE_${name})
    list(APPEND archives ${LIBSCHED_ARCHIVE_${name}})
  elseif(NOT name STREQUAL "simdjson")
    message(FATAL_ERROR "LIBSCHED_STATIC: there is no lib${name}.a")
  endif()
endforeach()
if(NOT LIBSCHED_ARCHIVE_simdjson)  # Debian has none
  if(NOT EXISTS ${LIBSCHED_SIMDJSON_SOURCE}/src/simdjson.cpp)
    message(FATAL_ERROR "LIBSCHED_STATIC: there is no libsimdjson.a, and no source of simdjson in "
      "${LIBSCHED_SIMDJSON_SOURCE}; packaging/setup.sh static fetches it")
  endif()
  add_library(libsched_simdjson STATIC ${LIBSCHED_SIMDJSON_SOURCE}/src/simdjson.cpp)
  target_include_directories(libsched_simdjson PRIVATE
    ${LIBSCHED_SIMDJSON_SOURCE}/include ${LIBSCHED_SIMDJSON_SOURCE}/src)
  target_compile_options(libsched_simdjson PRIVATE -w)
  libsched_harden(libsched_simdjson)
  list(APPEND archives $<TARGET_FILE:libsched_simdjson>)
endif()

set(runtime ${LIBSCHED_STATIC_RUNTIME})
if(NOT runtime)
  foreach(name libstdc++.a libgcc_eh.a libgcc.a)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}
      OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND runtime ${file})
  endforeach()
endif()

add_library(libsched_static_parts OBJECT
  ${PROJECT_SOURCE_DIR}/capi/src/static/unwind_frames.c
  ${PROJECT_SOURCE_DIR}/capi/src/foreign_plugin/no_shared_object.cpp)
set_target_properties(libsched_static_parts PROPERTIES UNITY_BUILD OFF)
target_include_directories(libsched_static_parts PRIVATE ${PROJECT_SOURCE_DIR})
libsched_harden(libsched_static_parts)
set_source_files_properties(${PROJECT_SOURCE_DIR}/capi/src/static/unwind_frames.c PROPERTIES
  COMPILE_OPTIONS "-fno-asynchronous-unwind-tables;-fno-unwind-tables"  # its table is written by hand
  TARGET_DIRECTORY libsched_static_parts)

set(objects $<TARGET_OBJECTS:libsched_static_parts>
  $<FILTER:$<TARGET_OBJECTS:libsched_capi>,EXCLUDE,/shared_object[.]cpp[.]o$>)
set(layers "")
foreach(layer scheduler plugins run kept framework config cluster cel ingest objects base)
  list(APPEND layers $<TARGET_FILE:libsched_${layer}>)
endforeach()
set(archive ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libsched.a)
set(merged ${PROJECT_BINARY_DIR}/static)
add_custom_command(OUTPUT ${archive}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${merged}
  COMMAND ${LIBSCHED_LD} -r --force-group-allocation -o ${merged}/merged.o ${objects}
    --start-group ${layers} ${archives} ${runtime} --end-group
  COMMAND ${LIBSCHED_OBJCOPY} --wildcard --weaken-symbol=_Z* ${merged}/merged.o
  COMMAND ${LIBSCHED_OBJCOPY} --strip-unneeded --keep-global-symbols=${PROJECT_SOURCE_DIR}/capi/libsched.symbols
    ${merged}/merged.o ${merged}/libsched.o
  COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
  COMMAND ${CMAKE_AR} rcsD ${archive} ${merged}/libsched.o
  COMMAND ${CMAKE_COMMAND} -E rm ${merged}/merged.o
  DEPENDS ${objects} ${layers} ${archives} ${runtime} ${PROJECT_SOURCE_DIR}/capi/libsched.symbols
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(libsched_static ALL DEPENDS ${archive})

# Component "static" is what a program needs that links to libsched.a.
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT static)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/capi/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT static
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
configure_file(${PROJECT_SOURCE_DIR}/packaging/libsched-static.pc.in ${PROJECT_BINARY_DIR}/libsched-static.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/libsched-static.pc ${PROJECT_BINARY_DIR}/libsched-go.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT static)
