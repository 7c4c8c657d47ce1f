# Directed runs have no vector clocks: they do not race-check the accesses of string functions, so
# they report no false races there.
cp "$ROOT/test/shell/part/event_strings_strings.c" strings.c
for flag in -fbuiltin -fno-builtin; do
    "$PF" cc -O1 -g $flag strings.c -o strings
    for schedule in rr:1000 rr:2 random:1 random:2; do
        status 0 "$PF" record -o s.clip --schedule=$schedule -- ./strings
        hasnt err "WARNING"
        status 0 "$PF" replay --quiet s.clip
        hasnt err "WARNING"
    done
    status 0 "$PF" hatch s.clip
    status 0 "$PF" run --state s -- ./strings
done
