# shellcheck shell=bash disable=SC2154
# Bad pointers, and objects that are gone, given to interposed functions: a crash inside the
# function replays as the crash of the program, and a call that fails in the kernel fails in a
# recording too.

step=1
for level in -O0 -O2; do
    clang-19 -w $level "$ROOT/test/run/bad_pointers.c" -o native
    "$PF" cc -w -g $level "$ROOT/test/run/bad_pointers.c" -o directed
    python3 "$ROOT/test/run/bad_pointers.py" "$PF" ./native ./directed $step || fail "$level"
    step=$((step + 3))
done
