# Users' build systems: CMake with the toolchain file, pkg-config, make with CC.
prefix=$(dirname "$(dirname "$PF")")
mkdir project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(demo C CXX)
find_package(Threads REQUIRED)
add_library(part SHARED part.c)
add_executable(demo demo.cpp)
target_link_libraries(demo part Threads::Threads)
END
echo 'int part(int n) { return n + 1; }' >project/part.c
cat >project/demo.cpp <<'END'
#include <cstdio>
#include <thread>
extern "C" int part(int);
int main() { int r = 0; std::thread t([&] { r = part(41); }); t.join(); std::printf("%d\n", r); }
END
status 0 cmake -S project -B out-of-tree -DCMAKE_TOOLCHAIN_FILE="$prefix/lib/photofinish/photofinish.cmake"
status 0 cmake --build out-of-tree
status 0 ./out-of-tree/demo
has out 42
hasnt err WARNING
cat >Makefile <<'END'
prog: prog.o
prog.o: prog.c
END
echo 'int main(void) { return 0; }' >prog.c
status 0 make CC="$PF cc"
status 0 ./prog
if command -v pkg-config >/dev/null; then
    cc=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --variable=cc photofinish)
    status 0 "$cc" prog.c -o prog
    status 0 ./prog
fi
