# Programs that gcc and clang have built with -fsanitize=thread run on our runtime, which replaces
# ThreadSanitizer's shared runtime. A program with the static runtime is refused, with the reason.
all=$ROOT/test/shell/part/tsan_binary_all.cpp
g++ -g -O1 -fsanitize=thread -I"$ROOT/test/program" "$all" -o gcc -pthread
clang++-19 -g -O1 -fsanitize=thread -shared-libsan -I"$ROOT/test/program" "$all" -o clang -pthread
line() { grep -n "/\* $1 \*/" "$all" | cut -d: -f1; }

for program in gcc clang; do
    status 0 "$PF" run --json clean.json -- ./$program clean
    has out "7 12 0"
    hasnt err "WARNING"
    hasnt err "code without checks"
    has clean.json '"findings":[]'
    # longjmp and exceptions remove the frames of the functions that they leave
    status 66 "$PF" run -- ./$program jump
    has err "#0 bump() $all:$(line BUMP)"
    has err "#1 after_jump() $all:$(line AFTER)"
    has err "Location is global 'counter' of size 4"
    hasnt err "ThreadSanitizer"
    status 66 "$PF" run -- ./$program vptr
    has err "data race on vptr (ctor/dtor vs virtual call)"
done
status 0 "$PF" run -- ./gcc threads
status 66 "$PF" run -- ./gcc free
has err "heap-use-after-free"
has err "#1 main $all:"
status 66 "$PF" run -- ./gcc memcpy
has err "Location is global 'to' of size 64"
status 0 "$PF" run -- ./gcc order
has err "lock-order-inversion (potential deadlock)"
printf 'race:bump\n' >suppressions
status 0 "$PF" run --suppressions suppressions -- ./gcc jump
PF_OPTIONS=external_symbolizer_path=/nonexistent status 66 "$PF" run -- ./gcc jump
has err "#0 gcc+0x"
printf '#!/bin/sh\nexec ./gcc jump\n' >script
chmod +x script
status 66 "$PF" run --any -- ./script

clang++-19 -g -O1 -fsanitize=thread -I"$ROOT/test/program" "$all" -o static -pthread
status 2 "$PF" run -- ./static clean
has err "linked statically with ThreadSanitizer's runtime"
has err "-shared-libsan"
status 2 "$PF" record -o clip -- ./gcc clean
has err "only pf run accepts such a program"
status 2 "$PF" run --require-full -- ./gcc clean
has err "not known which of its code has checks"
