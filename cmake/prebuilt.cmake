# Builds the Python package around an existing library (LIBSCHED_PREBUILT), so that nothing is
# compiled a second time. packaging/install_python.sh uses the library of the preset release.
add_library(libsched::libsched SHARED IMPORTED)
set_target_properties(libsched::libsched PROPERTIES
  IMPORTED_LOCATION ${LIBSCHED_PREBUILT}
  INTERFACE_INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/capi/include)
add_custom_target(libsched)  # the package depends on a target of this name

file(REAL_PATH ${LIBSCHED_PREBUILT} library)
install(FILES ${library} DESTINATION libsched RENAME libsched.so.${LIBSCHED_SOVERSION}
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
