# PF_OPTIONS=plain=1: all checking is off, every function enters at its bare entry, and programs
# behave as usual: locks, atomics in all forms, the heap of C and C++, exceptions, string functions,
# signals, processes.
own() { # PROGRAM FLAGS...: builds and runs it
    local source=$ROOT/test/program/$1 driver=cc
    shift
    case $source in *.cpp) driver=c++ ;; esac
    status 0 "$PF" $driver -O2 "$@" -I"$ROOT/test/program" -o program "$source" -pthread
    status 0 env PF_OPTIONS=plain=1 ./program
    hasnt err "photofinish"
}
for p in atomic/fence_fence_ok.c atomic/order_variable_ok.c atomic/stack_racy.c libc/signal_storm_ok.c libc/new_fails_ok.cpp \
    libc/new_replaced_ok.cpp libc/own_malloc_ok.c libc/string_bounds_ok.c libc/realloc_in_place_racy.c cxx/shared_ptr_ok.cpp \
    cxx/exception_racy.cpp libc/new_forms_racy.cpp; do
    own $p
done
own atomic/sixteen_ok.c -mcx16
# The same build, watched.
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o racy "$ROOT/test/program/basic/plain_4_racy.c" -pthread
status 66 ./racy
status 0 env PF_OPTIONS=plain=1 ./racy
# The runtime adds no large table of initialised data to a program, and hardly any debug
# information.
size -A racy | awk '/^(\.data|pf_data|\.debug)/ { n += $2 } END { print n }' >sum
[ "$(cat sum)" -lt 400000 ] || fail "$(cat sum) bytes of initialised data and debug information"
# Nor much else: a limit that shows when the runtime grows.
strip racy -o stripped
[ "$(stat -c %s stripped)" -lt 1600000 ] || fail "$(stat -c %s stripped) bytes in a stripped program"
