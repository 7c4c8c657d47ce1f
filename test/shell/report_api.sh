# The interface to reports gives the same answers as ThreadSanitizer's (__tsan_on_report, __tsan_get_report_*,
# __tsan_locate_address).
asks=$ROOT/test/shell/part/report_api_asks.c
"$PF" cc -g -O1 -I"$ROOT/test/program" -pthread "$asks" -o asks
clang-19 -fsanitize=thread -g -O1 -I"$ROOT/test/program" -pthread "$asks" -o tsan
status 66 "$PF" run -- ./asks
mv out ours
status 66 setarch -R ./tsan
diff ours out
has ours "data-race: 0 stacks, 2 accesses, 1 locations, 1 locks"
