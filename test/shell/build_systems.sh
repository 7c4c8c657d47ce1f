# The recipes of docs/build-systems.md: each builds a program whose race is then found.
export PATH="$(dirname "$PF"):$PATH"
unset CC CXX CFLAGS LDFLAGS
# recipe NAME: prints the command of docs/build-systems.md.
recipe() { sed -n "s/^| $1 | \`\(.*\)\`.*|\$/\1/p" "$ROOT/docs/build-systems.md"; }
# try NAME PROGRAM: runs the recipe in the folder of that name.
try() {
    local command
    command=$(recipe "$1")
    [[ -n $command ]] || fail "docs/build-systems.md has no recipe for $1"
    cp "$ROOT/test/shell/part/build_systems_racy.c" "$1/racy.c"
    (cd "$1" && eval "$command" >log 2>&1) || fail "$1: $(tail -5 "$1/log")"
    status 66 "$PF" run --require-full -- "$1/$2"
    has err "racy.c:9"
}

mkdir Make CMake Meson autotools
cat >Make/Makefile <<'EOF'
racy: racy.c
	$(CC) $(CFLAGS) -o $@ racy.c -pthread
EOF
try Make racy

cat >CMake/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.20)
project(racy C CXX)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
include(CheckIPOSupported)
check_ipo_supported()
find_package(Threads REQUIRED)
add_library(nothing STATIC nothing.c)
add_executable(racy racy.c)
target_link_libraries(racy nothing Threads::Threads)
EOF
echo 'int nothing;' >CMake/nothing.c
try CMake build-pf/racy

cat >Meson/meson.build <<'EOF'
project('racy', 'c', default_options: ['b_lto=true'])
executable('racy', 'racy.c', dependencies: dependency('threads'))
EOF
try Meson build-pf/racy

cat >autotools/configure.ac <<'EOF'
AC_INIT([racy], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
EOF
printf 'bin_PROGRAMS = racy\nracy_SOURCES = racy.c\nracy_LDADD = -lpthread\n' >autotools/Makefile.am
cp "$ROOT/test/shell/part/build_systems_racy.c" autotools/racy.c
(cd autotools && autoreconf -i >log 2>&1) || fail "$(tail -3 autotools/log)"
try autotools racy
