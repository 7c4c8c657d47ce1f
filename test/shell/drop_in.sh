# pf cc and pf c++ replace clang: the compiler invocations that build systems use.
cp "$ROOT/test/shell/part/drop_in_a.c" a.c
echo 'int b(void) { return 42; }' >b.c
cp "$ROOT/test/shell/part/drop_in_c.cpp" c.cpp
status 0 "$PF" cc -E a.c
has out "int main(void)"
status 0 "$PF" cc -MM a.c
has out "a.o: a.c"
status 0 "$PF" cc -fsyntax-only -Wall -Wextra -Werror a.c b.c
status 0 "$PF" cc -S -O1 -o a.s a.c
has a.s "__pf_"
status 0 "$PF" cc -c -O2 -g -MD a.c b.c
has a.d "a.c"
status 0 "$PF" cc -o two a.o b.o
status 0 ./two
has out 42
status 0 "$PF" cc -o two a.c b.c
status 0 ./two
printf -- '-O2 -o three\n"a.c" b.c\n' >args
status 0 "$PF" cc @args
status 0 ./three
has out 42
echo 'int main(void) { return 0; }' >main.c
status 0 "$PF" cc -x c -o four - <main.c
status 0 "$PF" cc -xc -o four main.c -lm
status 0 "$PF" cc -S -emit-llvm -o a.ll a.c
has a.ll "@main"

# A library and calls into it, with -l, -L and rpath; and an archive.
status 0 "$PF" cc -shared -fPIC -o libb.so b.c
status 0 "$PF" cc -o five a.c -L. -lb "-Wl,-rpath,$PWD"
status 0 ./five
has out 42
ar rc libb2.a b.o
status 0 "$PF" cc -o six a.c libb2.a
status 0 ./six
has out 42

# C++, also through the names pf-cc and pf-c++, and linked by the other driver.
status 0 "$PF" c++ -std=c++20 -O2 -o seven c.cpp
status 0 ./seven
has out cxx
dir=$(dirname "$PF")
status 0 "$dir/pf-c++" -c c.cpp
status 0 "$dir/pf-c++" -o eight c.o
status 0 ./eight
status 0 "$dir/pf-cc" -o nine c.o -lstdc++
status 0 ./nine

# Queries of configure scripts.
status 0 "$PF" cc --version
has out "clang version 19"
status 0 "$PF" cc -dumpmachine
has out "x86_64"
status 0 "$PF" cc -print-file-name=libc.so.6
status 0 "$PF" cc -v
has err "clang version 19"
status 1 "$PF" cc -c missing.c
has err "missing.c"
echo 'int f(void) { return undeclared; }' >bad.c
status 1 "$PF" cc -c bad.c
has err "undeclared"
echo 'int unused_symbol(void); int main(void) { return unused_symbol(); }' >link.c
status 1 "$PF" cc link.c
has err "unused_symbol"
echo '.globl g
g: ret' >g.S
status 0 "$PF" cc -c g.S

# Headers alone are precompiled. -### shows the complete link command.
echo 'int b(void);' >pre.h
status 0 "$PF" cc -x c-header pre.h -o pre.pch
status 0 "$PF" cc -include-pch pre.pch -o eleven a.c b.c
status 0 ./eleven
has out 42
status 0 "$PF" c++ -xc++-header -O2 pre.h -o pre_cxx.pch
status 0 "$PF" cc pre.h
status 0 "$PF" cc -### -o none a.c b.c
has err "libpf_rt.a"

# Unsupported flags give an error.
for flag in -static -fsanitize=address; do
    got=0
    "$PF" cc $flag -o no a.c b.c >out 2>err || got=$?
    [[ $got != 0 ]] || fail "pf cc $flag succeeded"
    has err "${flag%%=*}"
done

# Link-time optimisation, with both linkers: races are found, and recordings replay.
cp "$ROOT/test/shell/part/drop_in_racy.c" racy.c
echo 'int sum; void add(int n) { sum += n; }' >add.c
for lto in -flto -flto=full -flto=thin; do
    for ld in "" -fuse-ld=lld-19; do
        for level in -O0 -O2; do
            "$PF" cc -g $level $lto -c add.c -o add.o
            "$PF" cc -g $level $lto $ld -o lto racy.c add.o
            status 66 "$PF" run -- ./lto
            has err "add.c:1"
            has err "#1 run"
            status 0 "$PF" record -o lto.clip -- ./lto
            status 0 "$PF" replay lto.clip
        done
    done
done

# Objects of another compiler can be linked in.
clang-19 -c -o plain_b.o b.c
status 0 "$PF" cc -o ten a.c plain_b.o
status 0 "$PF" run -- ./ten
has out 42
