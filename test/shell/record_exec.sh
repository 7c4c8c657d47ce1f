# A recorded program starts or executes other programs: pf alone reports what is not recorded.
cp "$ROOT/test/shell/part/record_exec_becomes.c" becomes.c
"$PF" cc -O1 -g -pthread becomes.c -o becomes

for schedule in random:1 rr:10 pos:3; do
    status 3 "$PF" record --schedule=$schedule -o becomes.clip -- ./becomes all
    has out "started"
    has out "other"
    has err "pf record: the program started other processes (1), which are not recorded"
    has err "pf record: the recording ends where the program executed another program"
    hasnt err "photofinish:"
    status 3 "$PF" replay becomes.clip
    has out "still here"
    hasnt out "other"
    has err "pf replay: the recording ends here, where the program executed another program"
done

# A script, which is not instrumented either.
status 0 "$PF" record -o script.clip -- sh -c 'exec ./becomes'
has out "started"
has err "the recording ends where the program executed another program"
status 0 "$PF" replay script.clip
hasnt out "started"
