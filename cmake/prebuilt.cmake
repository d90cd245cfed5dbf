# The Python package around a library that is built already (LIBSCHED_PREBUILT): nothing of it is
# compiled a second time. packaging/install_python.sh takes that of the preset release.
add_library(libsched::libsched SHARED IMPORTED)
set_target_properties(libsched::libsched PROPERTIES
  IMPORTED_LOCATION ${LIBSCHED_PREBUILT}
  INTERFACE_INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/capi/include)
add_custom_target(libsched)  # which the package asks for by this name

file(REAL_PATH ${LIBSCHED_PREBUILT} library)
install(FILES ${library} DESTINATION libsched RENAME libsched.so.${LIBSCHED_SOVERSION}
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
