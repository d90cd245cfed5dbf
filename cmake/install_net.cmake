# Installation of libsched-net.so, as cmake/install.cmake does it for libsched.so: library, header, libsched-net.pc
# and the target libsched::net of the CMake package.
if(LIBSCHED_PYTHON)
  install(TARGETS libsched_net LIBRARY DESTINATION libsched NAMELINK_SKIP)
  return()
endif()

install(TARGETS libsched_net EXPORT libschedTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/net/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
configure_file(${PROJECT_SOURCE_DIR}/packaging/libsched-net.pc.in ${PROJECT_BINARY_DIR}/libsched-net.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/libsched-net.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
