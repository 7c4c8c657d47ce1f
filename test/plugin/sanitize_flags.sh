# The sanitizer flags of clang mean for pf cc what they mean for ThreadSanitizer, or are refused.
cat >a.c <<'EOF'
#include "h.h"
int x;
int y;
__attribute__((noinline)) void first(void) { x++; }
int main(void) { first(); in_header(); y++; return 0; }
EOF
cat >h.h <<'EOF'
extern int x;
__attribute__((noinline)) static void in_header(void) { x++; }
EOF
# checks FLAG...: the functions that contain a check, in one line.
checks() {
    "$PF" cc -S -emit-llvm -O1 -fpf-inline=none a.c -o a.ll "$@" 2>err || cat err >&2
    awk '/^define/ { match($0, /@[a-z_.]+/); name = substr($0, RSTART + 1, RLENGTH - 1); sub(/\.pf$/, "", name) }
        /call .*@__pf_(read|write)/ { found[name] = 1 } END { for (f in found) print f }' a.ll | sort | tr '\n' ' '
}
equals() { [[ "$1" == "$2" ]] || { echo "found '$1', expected '$2'" >&2; false; }; }
equals "$(checks)" "first in_header main "
# Ignore lists: functions, source files, main file, sections, globs; several lists; the last "no"
# wins.
echo 'fun:fir*' >fun
echo 'src:*h.h' >src
echo 'mainfile:a.c' >mainfile
printf '[thread]\nfun:first\n' >thread
printf '[address]\nfun:first\n' >address
printf '[{thread,address}]\nfun:*\n' >both
printf 'fun:*\n' >everything
equals "$(checks -fsanitize-ignorelist=fun)" "in_header main "
equals "$(checks -fsanitize-blacklist=fun)" "in_header main "
equals "$(checks -fsanitize-ignorelist=src)" "first main "
equals "$(checks -fsanitize-ignorelist=mainfile)" ""
equals "$(checks -fsanitize-ignorelist=thread)" "in_header main "
equals "$(checks -fsanitize-ignorelist=address)" "first in_header main "
equals "$(checks -fsanitize-ignorelist=both)" ""
equals "$(checks -fsanitize-ignorelist=everything)" ""
equals "$(checks -fsanitize-ignorelist=fun -fsanitize-ignorelist=src)" "main "
equals "$(checks -fsanitize-ignorelist=fun -fno-sanitize-ignorelist -fsanitize-ignorelist=src)" "first main "
equals "$(checks -fsanitize-ignorelist=everything -fno-sanitize-ignorelist)" "first in_header main "
equals "$(checks -fsanitize=undefined -fsanitize-ignorelist=fun)" "in_header main "
echo '-fsanitize-ignorelist=fun' >args
equals "$(checks @args)" "in_header main "
# The list is a dependency of the object.
status 0 "$PF" cc -fsanitize-ignorelist=fun -MD -MF a.d -c a.c
has a.d fun
# Errors are clang's.
echo 'nonsense' >bad
status 1 "$PF" cc -fsanitize-ignorelist=bad -c a.c
has err "malformed sanitizer ignorelist"
status 1 "$PF" cc -fsanitize-ignorelist=missing -c a.c
has err "no such file or directory: 'missing'"
# -fno-sanitize=thread: no checks, no runtime; the last flag wins; the rest of the program links.
equals "$(checks -fno-sanitize=thread)" ""
hasnt a.ll __pf_
equals "$(checks -fno-sanitize=all)" ""
hasnt a.ll __pf_
equals "$(checks -fno-sanitize=undefined)" "first in_header main "
equals "$(checks -fno-sanitize=thread -fsanitize=thread)" "first in_header main "
equals "$(checks -fsanitize=undefined,thread)" "first in_header main "
status 0 "$PF" cc -fno-sanitize=thread -E -x c - <<<'#if __has_feature(thread_sanitizer)
watched
#endif'
hasnt out watched
status 0 "$PF" cc -fno-sanitize=thread a.c -o plain
status 0 ./plain
nm plain >symbols
hasnt symbols __pf_
echo 'int other; void f(void) { other++; }' >b.c
status 0 "$PF" cc -fno-sanitize=thread -c b.c
status 0 "$PF" cc a.c b.o -o mixed
status 0 ./mixed
nm mixed >symbols
has symbols __pf_tls
status 0 "$PF" cc -fno-sanitize=thread -flto -c b.c -o lto.o
status 0 "$PF" cc -fno-sanitize=thread -fsanitize=address -c b.c -o asan.o
# -fsanitize=thread says what pf cc does anyway; ThreadSanitizer's runtime is not linked.
for flags in "-fsanitize=thread" "-fsanitize=undefined,thread" "@thread_args"; do
    echo '-fsanitize=thread' >thread_args
    status 0 "$PF" cc -Werror $flags a.c -o both
    status 0 ./both
    nm both >symbols
    has symbols __pf_tls
    hasnt symbols __tsan_default_options_weak
    hasnt symbols _ZN6__tsan
done
status 0 "$PF" cc -fsanitize=thread -c -- a.c
status 0 "$PF" run -- ./both
# Other sanitizers; each is enabled and disabled by its name.
for name in address memory leak hwaddress dataflow safe-stack scudo; do
    status 2 "$PF" cc -fsanitize=$name -c a.c
    has err "-fsanitize=$name: photofinish cannot share a process"
    status 2 "$PF" cc -fsanitize=$name -fno-sanitize=undefined -c a.c
    status 0 "$PF" cc -fsanitize=undefined,$name -fno-sanitize=$name -c a.c
done
status 2 "$PF" cc -fsanitize=address -fno-sanitize=memory -c a.c
# Parts of ThreadSanitizer's checks.
equals "$(checks -fno-sanitize-thread-memory-access)" ""
has a.ll __pf_tls
equals "$(checks -fno-sanitize-thread-memory-access -fsanitize-thread-memory-access)" "first in_header main "
status 0 "$PF" cc -Werror -fno-sanitize-thread-memory-access -c a.c
status 0 "$PF" cc -Werror -fsanitize-thread-func-entry-exit -fsanitize-thread-atomics -c a.c
status 2 "$PF" cc -fno-sanitize-thread-func-entry-exit -c a.c
has err "stack of every access"
status 2 "$PF" cc -fno-sanitize-thread-atomics -c a.c
has err "reported as races"
status 1 "$PF" cc -fno-sanitize-thread-nonsense -c a.c
has err "unknown argument"
status 2 "$PF" cc -mllvm -tsan-instrument-atomics=0 -c a.c
has err "-tsan-instrument-atomics=0: an option of ThreadSanitizer's compiler pass"
status 2 "$PF" cc -Xclang -mllvm -Xclang -tsan-instrument-atomics=0 -c a.c
status 2 "$PF" cc -mllvm=-tsan-instrument-atomics=0 -c a.c
echo '-fno-sanitize-thread-memory-access' >args
status 2 "$PF" cc @args -c a.c
has err "response file"
# What happens after a race.
status 0 "$PF" cc -fsanitize-recover=thread -c a.c
status 0 "$PF" cc -fno-sanitize-recover=undefined -c a.c
status 0 "$PF" cc -fno-sanitize-recover=all -fsanitize=undefined -c a.c
status 2 "$PF" cc -fno-sanitize-recover=thread -c a.c
has err "halt_on_error"
status 0 "$PF" cc -fno-sanitize-recover=thread -fsanitize-recover=all -c a.c
status 1 "$PF" cc -fsanitize-trap=thread -c a.c
has err "unsupported argument 'thread'"
