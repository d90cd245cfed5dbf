# The ABI's version, as the header says it, is the SOVERSION; the version script's node is named so.
file(STRINGS capi/include/libsched/base.h abi_line REGEX "define LIBSCHED_ABI_VERSION ")
string(REGEX MATCH "[0-9]+$" LIBSCHED_ABI_VERSION ${abi_line})
