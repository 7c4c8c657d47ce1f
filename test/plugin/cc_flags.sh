# pf cc accepts the command lines of clang-19 and rejects what it does not support, with a message.
cat >a.c <<'END'
#include <stdio.h>
int twice(int);
int main(void) { printf("%d\n", twice(21)); return 0; }
END
cat >b.c <<'END'
int twice(int n) { return n * 2; }
END
# Compile, link, several inputs, output of each stage.
status 0 "$PF" cc -c a.c b.c
status 0 "$PF" cc a.o b.o -o both
status 0 ./both
has out 42
status 0 "$PF" cc -O2 -Wall -Werror a.c b.c -o both
status 0 ./both
status 0 "$PF" cc -E a.c
has out 'int twice(int);'
status 0 "$PF" cc -S a.c -o -
has out __pf_tls
status 0 "$PF" cc -M a.c
has out a.c
status 0 "$PF" cc -MD -MF a.d -c a.c
has a.d a.c
status 0 "$PF" cc -fsyntax-only a.c
status 0 "$PF" cc -r a.o b.o -o ab.o
status 0 "$PF" cc ab.o -o both
status 0 ./both
status 0 "$PF" cc -Werror -c -x assembler /dev/null -o empty.o
# Standard input, response files, -x.
status 0 "$PF" cc -x c - -o stdin <<<'int main(void) { return 3; }'
status 3 ./stdin
printf -- '-O1 -o "both" a.c\n b.c' >args
status 0 "$PF" cc @args
status 0 ./both
cp b.c b.weird
status 0 "$PF" cc a.c -x c b.weird -o both
status 0 ./both
# Options that print information.
status 0 "$PF" cc --version
has out "clang version 19"
status 0 "$PF" cc -print-search-dirs
status 0 "$PF" cc -dumpmachine
has out x86_64
status 0 "$PF" cc -v
status 1 "$PF" cc
has err "no input files"
status 0 "$PF" cc --help
has out -fpf-ignore
# Errors are clang's, with clang's status.
status 1 "$PF" cc missing.c
has err "missing.c"
status 1 "$PF" cc -x c - <<<'int main(void) { return nothing; }'
has err "nothing"
# A test that configure scripts make.
printf 'int main(void) { return 0; }' >conftest.c
status 0 "$PF" cc -o conftest conftest.c
status 0 ./conftest
[[ ! -s err ]]
# The source can test that it is instrumented.
status 0 "$PF" cc -E -x c - <<<'#if __has_feature(thread_sanitizer)
watched
#endif'
has out watched
# Rejected options.
status 2 "$PF" cc -static a.c b.c
has err "static linking is not supported"
status 0 "$PF" cc -static -c a.c
status 2 "$PF" cc -static-pie a.c b.c
status 0 "$PF" cc -static-libgcc a.c b.c -o both
status 0 "$PF" cc -flto -c a.c
status 0 "$PF" cc -flto=thin -c a.c
status 2 "$PF" cc -fsanitize=address -c a.c
has err "-fsanitize=address"
status 2 "$PF" cc -fsanitize=undefined,memory -c a.c
status 0 "$PF" cc -fsanitize=undefined a.c b.c -o both
status 0 ./both
status 2 "$PF" cc -m32 -c a.c
has err "only x86-64 Linux"
status 2 "$PF" cc --target=aarch64-linux-gnu -c a.c
status 2 "$PF" cc -target aarch64-linux-gnu -c a.c
status 0 "$PF" cc --target=x86_64-pc-linux-gnu -c a.c
status 2 "$PF" cc -fpf-nonsense -c a.c
has err "-fpf-nonsense"
for own in -fpf-inline=all --symbolic; do
    echo "$own -c a.c" >args
    status 2 "$PF" cc @args
    has err "response file"
done
# The ignore list: errors name the bad line.
printf '# fine\nfun:x\nfunction:y\n' >bad
status 2 "$PF" cc -fpf-ignore=bad -c a.c
has err "bad:3: expected fun:GLOB or src:GLOB"
status 2 "$PF" cc -fpf-ignore=missing -c a.c
has err "missing"
printf 'src:a.c\nsrc:*/a.c\n' >list
status 0 "$PF" cc -fpf-ignore=list -S a.c -o -
hasnt out __pf_ask
# The user's debug flags are not changed.
status 0 "$PF" cc -g -### -c a.c
has err debug-info-kind=constructor
status 0 "$PF" cc -### -c a.c
has err debug-info-kind=line-tables-only
has err dwarf-version=4 # what valgrind 3.19 can read
# Position-independent or not, other linkers, garbage collection of sections.
for flags in "-no-pie -fno-pie" "-fuse-ld=lld" "-ffunction-sections -fdata-sections -Wl,--gc-sections" \
    "-fuse-ld=lld -ffunction-sections -fdata-sections -Wl,--gc-sections"; do
    read -r -a words <<<"$flags"
    status 0 "$PF" cc "${words[@]}" a.c b.c -o both
    status 0 ./both
    readelf -n both >notes
    has notes photofinish
    readelf -SW both >sections
    has sections pf_func
done
# C++.
cat >c.cpp <<'END'
#include <iostream>
#include <stdexcept>
int main() { try { throw std::runtime_error("thrown"); } catch (std::exception &e) { std::cout << e.what(); } }
END
for level in -O0 -O2; do
    status 0 "$PF" c++ $level c.cpp -o c
    status 0 ./c
    has out thrown
done
status 0 "$(dirname "$PF")/pf-c++" c.cpp -o c
