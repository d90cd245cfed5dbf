# Builds the Python package around an existing library (LIBSCHED_PREBUILT), so that nothing is
# compiled a second time. packaging/install_python.sh uses the library of the preset release.
add_library(libsched::libsched SHARED IMPORTED)
set_target_properties(libsched::libsched PROPERTIES
  IMPORTED_LOCATION ${LIBSCHED_PREBUILT}
  INTERFACE_INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/capi/include)
add_custom_target(libsched)  # the package depends on targets of these names
add_custom_target(libsched_net)

file(REAL_PATH ${LIBSCHED_PREBUILT} library)
install(FILES ${library} DESTINATION libsched RENAME libsched.so.${LIBSCHED_SOVERSION}
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# The library of the same build that talks to other processes, if it was built.
cmake_path(GET LIBSCHED_PREBUILT PARENT_PATH built)
if(EXISTS ${built}/libsched-net.so)
  file(REAL_PATH ${built}/libsched-net.so net_library)
  install(FILES ${net_library} DESTINATION libsched RENAME libsched-net.so.${LIBSCHED_SOVERSION}
    PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()

# Licences of libraries that are inside.
set(LIBSCHED_NOTICES "" CACHE FILEPATH "A text with the licences of what the built libraries contain")
if(LIBSCHED_NOTICES)
  install(FILES ${LIBSCHED_NOTICES} DESTINATION libsched)
endif()
