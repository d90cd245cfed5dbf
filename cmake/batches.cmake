# libsched_batches(target source...): compiles a target's C++ sources in batches when CMAKE_UNITY_BUILD
# is on (all presets but dev), which takes half the time of compiling each file alone.
#
# The files of a batch are one translation unit, so names in unnamed namespaces would clash. A file goes
# to the first batch that has room and none of its names. Where names are in the way and there are as many
# batches as the number of files asks for, it goes to a full one rather than to one more, which would read all headers again.
#
# A name is a class, or the word before the first "(", "=" or "{" of an unindented line, but for operators and
# to_string(), which are overloaded by type. A name too many may cost a batch; a missed name is a compiler
# error. The names of a test stand in a namespace of their own, libsched::foo_test in foo_test.cpp, so that they
# do not count.
set(LIBSCHED_BATCH_SIZE 24 CACHE STRING "Source files that are compiled together, at most")
mark_as_advanced(LIBSCHED_BATCH_SIZE)

function(libsched_batches target)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set(batches "")
  list(LENGTH ARGN needed)
  math(EXPR needed "(${needed} + ${LIBSCHED_BATCH_SIZE} - 1) / ${LIBSCHED_BATCH_SIZE}")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    libsched_names_in(${source} names)
    set(chosen "")
    set(full "")
    list(LENGTH batches number)
    foreach(batch IN LISTS batches)
      set(both ${names_${batch}} ${names})
      list(LENGTH both with_repetitions)
      list(REMOVE_DUPLICATES both)
      list(LENGTH both distinct)
      if(NOT distinct EQUAL with_repetitions)
        continue()
      elseif(size_${batch} LESS LIBSCHED_BATCH_SIZE)
        set(chosen ${batch})
        break()
      elseif(NOT full AND NOT number LESS needed)
        set(full ${batch})
      endif()
    endforeach()
    if(NOT chosen)
      set(chosen ${full})
    endif()
    if(NOT chosen)
      set(chosen ${target}_${number})
      list(APPEND batches ${chosen})
      set(size_${chosen} 0)
    endif()
    list(APPEND names_${chosen} ${names})
    math(EXPR size_${chosen} "${size_${chosen}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${chosen})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# libsched_fast_batches(target [LARGE] source...): lifts the limits of a translation unit on inlining, so that only
# each function's own limits count, as file by file. In a batch they would cost up to a fifth of the speed.
# With many more than 13 files in a batch judging one node takes up to a quarter longer, so only targets without loops
# over nodes are LARGE: their batches have as many files as all others, and the headers are read half as often.
function(libsched_fast_batches target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LARGE" "" "")
  if(NOT arg_LARGE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND LIBSCHED_BATCH_SIZE GREATER 13)
    set(LIBSCHED_BATCH_SIZE 13)
  endif()
  libsched_batches(${target} ${arg_UNPARSED_ARGUMENTS})
  if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE
      --param=large-unit-insns=1000000 --param=ipa-cp-large-unit-insns=1000000)
  endif()
endfunction()

# Finds the names that a source file may define.
function(libsched_names_in source result)
  file(READ ${source} text)
  cmake_path(GET source STEM own)
  if(text MATCHES "\nnamespace libsched::${own} {")
    set(${result} ${own} PARENT_SCOPE)
    return()
  endif()
  string(REGEX REPLACE "[][;]" "=" text "${text}")  # CMake's lists use these characters
  string(REGEX MATCHALL "\n[A-Za-z][^\n(={]*[(={]" beginnings "${text}")
  set(names "")
  foreach(beginning IN LISTS beginnings)
    if(beginning MATCHES "^\n(using )?namespace ")
      continue()  # files of a batch may share a namespace
    elseif(beginning MATCHES "\n(class|struct|enum class|enum|union) ([A-Za-z_0-9]+)")
      list(APPEND names ${CMAKE_MATCH_2})
    elseif(beginning MATCHES "\nusing [A-Za-z_0-9:]*::[A-Za-z_0-9]+ *=")  # ";" has become "="
      continue()  # they may also share what such a declaration names
    elseif(beginning MATCHES "[ *&]([A-Za-z_0-9]+) *[(={]$")
      list(APPEND names ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_ITEM names operator to_string)
  list(REMOVE_DUPLICATES names)
  set(${result} ${names} PARENT_SCOPE)
endfunction()
