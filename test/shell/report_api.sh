# The interface to reports gives the same answers as ThreadSanitizer's (__tsan_on_report,
# __tsan_get_report_*, __tsan_locate_address).
asks=$ROOT/test/shell/part/report_api_asks.c
"$PF" cc -g -O1 -I"$ROOT/test/program" -pthread "$asks" -o asks
clang-19 -fsanitize=thread -g -O1 -I"$ROOT/test/program" -pthread "$asks" -o tsan
status 66 "$PF" run -- ./asks
mv out ours
status 66 setarch -R ./tsan
diff ours out
has ours "heap-use-after-free: 0 stacks, 2 accesses"
has ours "data-race: 0 stacks, 2 accesses, 1 locations, 1 locks"

# Hooks at the start and the end, and the second names of interposed functions. ThreadSanitizer
# finds the hooks of an executable only if they are exported.
hooks=$ROOT/test/shell/part/report_api_hooks.c
"$PF" cc -g -O1 -pthread "$hooks" -o hooks
clang-19 -fsanitize=thread -g -O1 -rdynamic -pthread "$hooks" -o hooks_tsan
status 0 ./hooks
mv out ours
status 0 setarch -R ./hooks_tsan
diff ours out
status 66 ./hooks race
mv out ours
status 66 setarch -R ./hooks_tsan race
diff ours out
has ours "finalize: failed"
has ours "main"
