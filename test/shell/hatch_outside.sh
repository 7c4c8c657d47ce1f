# A run that differs from the recording before its schedule does leaves the candidate undecided.
"$PF" cc -O0 -g "$ROOT/test/shell/part/hatch_once.c" -o once
status 0 "$PF" record -o once.clip -- ./once
status 66 "$PF" predict --json once.json once.clip
for how in "" --apart; do
    status 0 "$PF" hatch $how once.json # once.out exists: the program gives up
    has out "the run differs from the recording here"
    has out "0 false; 1 NOT decided"
    rm once.out
    status 66 "$PF" hatch $how once.clip
    has out "1 candidate: 1 real"
    [[ -e once.out ]] || touch once.out
done
