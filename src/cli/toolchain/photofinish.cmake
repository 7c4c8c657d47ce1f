# photofinish.cmake - a CMake toolchain file: build a project with pf cc and pf c++.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=<prefix>/lib/photofinish/photofinish.cmake ...
#
# It finds the compilers relative to itself, so the installation can be moved.
get_filename_component(pf_prefix "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(CMAKE_C_COMPILER "${pf_prefix}/bin/pf-cc")
set(CMAKE_CXX_COMPILER "${pf_prefix}/bin/pf-c++")
