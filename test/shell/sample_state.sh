# AtexRace's state between executions: many executions at once, killed ones, damaged and foreign
# files.
cp "$ROOT/test/shell/part/sample_state_two.c" two.c
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o two two.c -pthread
export PF_OPTIONS="sample=atexrace:state=$PWD/storm:quiet=0"
status 0 python3 "$ROOT/test/run/state.py" storm storm 200 ./two
hasnt out "killed 0 "
# A truncated file, a modified one, one of another version, and a foreign file: each is named and
# set aside.
folder=$(echo storm/pairs/two-*)
status 0 ./two
hasnt err "photofinish"
for harm in cut changed version foreign; do
    [[ -f $folder/base ]]
    case $harm in
    cut) truncate -s -5 "$folder/base" ;;
    changed) printf 'X' | dd of="$folder/base" bs=1 seek=60 conv=notrunc 2>dd.txt ;;
    version) printf '\003' | dd of="$folder/base" bs=1 seek=8 conv=notrunc 2>dd.txt ;;
    foreign) echo "my notes" >"$folder/base" ;;
    esac
    status 0 ./two
    has err "$folder/base"
    has err "set aside, not used"
    ls "$folder" >names
    has names "bad-"
    rm "$folder"/bad-*
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        status 0 ./two
        hasnt err "photofinish"
    done
    status 0 python3 "$ROOT/test/run/state.py" check storm
done
# When the runtime must not write to the program's stderr, pf prints the message.
for verb in "run --quiet" suite; do
    [[ -f $folder/base ]]
    truncate -s -5 "$folder/base"
    status 0 env -u PF_OPTIONS "$PF" $verb --sample=atexrace --state storm -- ./two
    has err "pf ${verb%% *}: $PWD/$folder/base: truncated, or longer than its header says; set aside, not used"
    rm "$folder"/bad-*
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        status 0 ./two
    done
done
# An unusable state folder is reported, and the program runs.
touch plain-file
PF_OPTIONS="sample=atexrace:state=$PWD/plain-file"
status 0 ./two
has err "cannot be used"
# An execution with one thread has no pairs and is not counted.
cp "$ROOT/test/shell/part/sample_state_alone.c" alone.c
status 0 "$PF" cc -o alone alone.c
PF_OPTIONS="sample=atexrace:state=$PWD/alone.d"
status 0 ./alone
ls alone.d/pairs/alone-* >names
hasnt names ".pairs"
# An exec that fails: the execution goes on, is saved at its end, and counts once.
cp "$ROOT/test/shell/part/sample_state_exec.c" exec.c
status 0 "$PF" cc -g -O1 -I"$ROOT/test/program" -o exec exec.c -pthread
# Calls in windows do not count pairs, and windows depend on time: none here.
export PF_OPTIONS="sample=atexrace:state=$PWD/plain:quiet=0:overhead=0"
status 0 ./exec
status 0 python3 "$ROOT/test/run/state.py" check plain
cp out plain.out
export PF_OPTIONS="sample=atexrace:state=$PWD/failed:quiet=0:overhead=0"
status 0 ./exec x
status 0 python3 "$ROOT/test/run/state.py" check failed
has out "executions 1 "
diff plain.out out
