# A crash under pf run: the name of the signal and the stack, then the status that the program has
# without pf; where the program has its own handler, nothing.
cp "$ROOT/test/shell/part/crash_report_crash.c" crash.c
status 0 "$PF" cc -g -O1 -o crash crash.c -pthread
ulimit -c 0
expect() { # status, setup, how, signal, function
    status "$1" "$PF" run -- ./crash "$2" "$3"
    has err "ERROR: photofinish: $4"
    has err "#0 $5"
    has err "SUMMARY: photofinish: ${4%% *}"
}
expect 139 main segv "SIGSEGV on address 0x8 in main thread" "segv crash.c"
has err "#1 crash crash.c:"
has err "#2 main crash.c:"
expect 139 thread segv "SIGSEGV on address 0x8 in thread T1 'crasher'" "segv crash.c"
has err "#2 run crash.c:"
expect 135 main bus "SIGBUS on address" "bus crash.c"
expect 136 main fpe "SIGFPE at" "crash crash.c:"
expect 132 main ill "SIGILL at" "crash crash.c:"
expect 134 main assert "SIGABRT in main thread" ""
has err "crash crash.c:"
expect 139 main strlen "SIGSEGV on address 0x0" "crash crash.c:"
expect 139 main kill "SIGSEGV in main thread" "kill"
for setup in main thread; do
    expect 139 $setup overflow "SIGSEGV on address" ""
    has err "overflow crash.c:"
done
expect 139 small segv "SIGSEGV on address 0x8" "segv"
expect 139 again segv "SIGSEGV on address 0x8" "segv"
expect 139 once segv "SIGSEGV on address 0x8" "segv"
expect 11 fork segv "SIGSEGV on address 0x8" "segv"
# The program's own handler, and the options.
status 11 "$PF" run -- ./crash own segv
has out "own"
hasnt err "photofinish"
PF_OPTIONS=handle_segv=0 status 139 "$PF" run -- ./crash main segv
hasnt err "ERROR: photofinish"
status 139 "$PF" run --quiet -- ./crash main segv
hasnt err "ERROR: photofinish"
