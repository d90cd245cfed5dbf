# libsched_harden(target [HOT]): makes a mistake in the library harder to exploit, as far as it costs
# no speed: canaries on stacks, checked calls of the C library, landing pads for indirect jumps, and
# relocations that are read-only once loaded. tests/package looks for them in the built library.
#
# Every function with an array or an address of a local variable has a canary, but in HOT targets
# only functions with an array of bytes: more would cost PreFilter and Filter of a node a twentieth.
# Checked calls need optimisation; sanitizers have checks of their own.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-fcf-protection LIBSCHED_HAS_CF_PROTECTION)  # x86
check_cxx_compiler_flag(-mbranch-protection=standard LIBSCHED_HAS_BRANCH_PROTECTION)  # Arm

set(fortify 3)  # an older C library treats it as 2
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  set(fortify 2)
endif()
set(LIBSCHED_HARDENING
  $<$<BOOL:${LIBSCHED_HAS_CF_PROTECTION}>:-fcf-protection>
  $<$<BOOL:${LIBSCHED_HAS_BRANCH_PROTECTION}>:-mbranch-protection=standard>
  $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=${fortify}>)

function(libsched_harden target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOT" "" "")
  if(LIBSCHED_SANITIZE OR LIBSCHED_BUILD_FUZZ)
    return()
  endif()
  target_compile_options(${target} PRIVATE
    $<IF:$<BOOL:${arg_HOT}>,-fstack-protector,-fstack-protector-strong> ${LIBSCHED_HARDENING})
  get_target_property(type ${target} TYPE)
  if(type MATCHES "SHARED|MODULE")
    target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now,-z,noexecstack)
  endif()
endfunction()
