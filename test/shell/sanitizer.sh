# The sanitizer interface for reports: print the current stack, redirect reports, a death callback.
cp "$ROOT/test/shell/part/sanitizer_asks.c" asks.c
"$PF" cc -g -O1 -I"$ROOT/test/program" -pthread asks.c -o asks

status 66 "$PF" run -- ./asks here
has err "#1 inner asks.c:12:"
has err "#2 main asks.c:16:"
has err "SUMMARY: mine"
has err "data race"
hasnt out "last word"

status 66 "$PF" run -- ./asks fd
hasnt err "data race"
has reports "data race"

status 66 "$PF" run -- ./asks path
hasnt err "data race"
has "$(echo named.*)" "data race"

PF_OPTIONS=halt_on_error=1 status 66 "$PF" run -- ./asks here
has out "last word"
