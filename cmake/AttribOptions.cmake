# Compiler flags shared by every target.
add_library(attrib_options INTERFACE)
target_include_directories(attrib_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_options(attrib_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion)

# GCC 12 sees overlaps in std::string assignments that are none (PR 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(attrib_options INTERFACE -Wno-restrict)
endif()

option(ATTRIB_WERROR "Treat warnings as errors" OFF)
if(ATTRIB_WERROR)
  target_compile_options(attrib_options INTERFACE -Werror)
endif()

option(ATTRIB_SANITIZE "Build with address and undefined-behaviour sanitizers" OFF)
if(ATTRIB_SANITIZE)
  target_compile_options(attrib_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(attrib_options INTERFACE -fsanitize=address,undefined)
endif()

option(ATTRIB_FUZZ "Build the libFuzzer targets (clang only)" OFF)
if(ATTRIB_FUZZ)
  target_compile_options(attrib_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_link_options(attrib_options INTERFACE -fsanitize=address,undefined)
endif()

# A faster linker and a compiler cache where the machine has them; neither changes the result.
find_program(ATTRIB_CCACHE ccache)
if(ATTRIB_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ATTRIB_CCACHE})
endif()
find_program(ATTRIB_MOLD mold)
if(ATTRIB_MOLD)
  target_link_options(attrib_options INTERFACE -fuse-ld=mold)
endif()
