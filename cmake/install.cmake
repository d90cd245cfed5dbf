# Installation: library, headers, libsched.pc and the CMake package (find_package(libsched)).
# Under pip install (LIBSCHED_PYTHON) only the library goes into the wheel, beside the module.
if(LIBSCHED_PYTHON)
  install(TARGETS libsched LIBRARY DESTINATION libsched NAMELINK_SKIP)
  return()
endif()

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/libsched)

install(TARGETS libsched EXPORT libschedTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/capi/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT libschedTargets NAMESPACE libsched:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/packaging/libschedConfig.cmake.in
  ${PROJECT_BINARY_DIR}/libschedConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/libschedConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/libschedConfig.cmake
  ${PROJECT_BINARY_DIR}/libschedConfigVersion.cmake DESTINATION ${package_dir})

# The .pc file is relocatable: its prefix is relative to where it lies.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig
  OUTPUT_VARIABLE pc_prefix)
configure_file(${PROJECT_SOURCE_DIR}/packaging/libsched.pc.in
  ${PROJECT_BINARY_DIR}/libsched.pc @ONLY)
set(go_library libsched)
if(LIBSCHED_STATIC)
  set(go_library libsched-static)
endif()
configure_file(${PROJECT_SOURCE_DIR}/packaging/libsched-go.pc.in ${PROJECT_BINARY_DIR}/libsched-go.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/libsched.pc ${PROJECT_BINARY_DIR}/libsched-go.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(LIBSCHED_STATIC)
  include(${PROJECT_SOURCE_DIR}/cmake/static.cmake)
endif()
