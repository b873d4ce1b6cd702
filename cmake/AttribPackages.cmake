# Everything comes from Debian 12 by package name: tools/packages.txt is the list to install.
find_package(pegtl 3.2 CONFIG REQUIRED)
find_package(fmt 9 CONFIG REQUIRED)
find_package(nlohmann_json 3.11 CONFIG REQUIRED)
find_package(Boost 1.74 CONFIG REQUIRED)
find_package(CLI11 2.1 CONFIG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zstd 1.5 CONFIG REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(tomlplusplus 3.3 CONFIG REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
find_package(doctest 2.4 CONFIG REQUIRED)
include(doctest)

# A run of attrib-vm takes a few milliseconds, of which the dynamic linker would take one and a half: the programs of
# tools/ hold their libraries where the machine has all of them as archives. Debian has no archive of fmt, which
# compiles from its headers.
option(ATTRIB_STATIC "Link the programs without shared libraries where all are there as archives" ON)
add_library(attrib_fmt STATIC ${CMAKE_SOURCE_DIR}/cmake/fmt.cpp)
target_include_directories(attrib_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(attrib_fmt PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)

# toml++ likewise: it is read in two files, and compiled once.
add_library(attrib_toml STATIC ${CMAKE_SOURCE_DIR}/cmake/toml.cpp)
target_include_directories(attrib_toml SYSTEM PUBLIC $<TARGET_PROPERTY:tomlplusplus::tomlplusplus,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(attrib_toml PUBLIC TOML_HEADER_ONLY=0)

# attrib_archive(TARGET FILE SHARED): TARGET links the archive FILE, or SHARED if it is not there.
set(ATTRIB_ALL_ARCHIVES ON)
function(attrib_archive target file shared)
  find_library(ATTRIB_ARCHIVE_${target} ${file})
  add_library(${target} INTERFACE)
  if(ATTRIB_ARCHIVE_${target})
    target_link_libraries(${target} INTERFACE ${ATTRIB_ARCHIVE_${target}})
    target_include_directories(${target} SYSTEM INTERFACE $<TARGET_PROPERTY:${shared},INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_options(${target} INTERFACE $<TARGET_PROPERTY:${shared},INTERFACE_COMPILE_OPTIONS>)
  else()
    target_link_libraries(${target} INTERFACE ${shared})
    set(ATTRIB_ALL_ARCHIVES OFF PARENT_SCOPE)
  endif()
endfunction()
attrib_archive(attrib_re2 libre2.a PkgConfig::RE2)
attrib_archive(attrib_zlib libz.a ZLIB::ZLIB)
attrib_archive(attrib_zstd libzstd.a zstd::libzstd_shared)
attrib_archive(attrib_crypto libcrypto.a OpenSSL::Crypto)
attrib_archive(attrib_ssl libssl.a OpenSSL::SSL)
attrib_archive(attrib_sqlite libsqlite3.a SQLite::SQLite3)

set(ATTRIB_WHOLE_PROGRAMS OFF)
if(ATTRIB_STATIC AND ATTRIB_ALL_ARCHIVES AND NOT ATTRIB_SANITIZE AND NOT ATTRIB_FUZZ)
  set(ATTRIB_WHOLE_PROGRAMS ON)
endif()

# attrib_program(TARGET): a program that people start.
function(attrib_program target)
  if(ATTRIB_WHOLE_PROGRAMS)
    target_link_options(${target} PRIVATE -static-pie)
  endif()
endfunction()

# attrib_quick_memory(TARGET): a program that makes millions of small things and ends soon after takes its memory from
# jemalloc, where that is there (docs/decisions/0011).
find_library(ATTRIB_JEMALLOC libjemalloc_pic.a)
function(attrib_quick_memory target)
  if(ATTRIB_WHOLE_PROGRAMS AND ATTRIB_JEMALLOC)
    target_link_libraries(${target} PRIVATE ${ATTRIB_JEMALLOC})
    target_compile_definitions(${target} PRIVATE ATTRIB_HAS_JEMALLOC)
  endif()
endfunction()
