# Reads the ABI's version from the header. Until 1.0 the SOVERSION is 0.N, so that a program built for one
# ABI never loads another.
file(STRINGS capi/include/libsched/base.h abi_line REGEX "define LIBSCHED_ABI_VERSION ")
string(REGEX MATCH "[0-9]+$" LIBSCHED_ABI_VERSION ${abi_line})
file(STRINGS capi/include/libsched/base.h major_line REGEX "define LIBSCHED_VERSION_MAJOR ")
string(REGEX MATCH "[0-9]+$" major ${major_line})
if(major EQUAL 0)
  set(LIBSCHED_SOVERSION 0.${LIBSCHED_ABI_VERSION})
else()
  set(LIBSCHED_SOVERSION ${LIBSCHED_ABI_VERSION})
endif()
