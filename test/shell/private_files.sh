# Runs that pf makes from a checkpoint never touch the user's files: they see their own changes, and
# the files are as before. Their recordings replay.
"$PF" cc -g -O1 -pthread "$ROOT/test/shell/part/private_files.c" -o changes
fresh() { # the files as the program wants them
    rm -rf world
    mkdir -p world/sub
    python3 - world <<'END'
import os, sys
os.chdir(sys.argv[1])
for i in range(27):  # deeper than a path may be long
    if i == 6 or i == 26:
        open("file", "w").write("far")
    os.mkdir("n" * 200)
    os.chdir("n" * 200)
END
    (cd world && printf log >log && printf old >old && printf gone >gone && printf kept >kept && printf deep >sub/deep && ln -s kept link)
}
# what the world looks like; `early` is made before the checkpoint, by the program itself
image() { (cd world && find . -type d -printf '%p %m\n' | sort && find . ! -type d ! -name early -printf '%p %y %m %s %T@\n' | sort && cat log old gone kept sub/deep); }
inside() { (cd world && "$@") >out 2>err || fail "exit status $?: $* $(cat out err)"; }

# the program itself changes them
fresh
image >before
(cd world && ../changes) || fail "the program fails by itself"
image >after 2>/dev/null || true
! cmp -s before after || fail "the program changes nothing"

# the systematic search: two orders of the threads, from one start of the program
fresh
image >before
inside "$PF" explore --json ../found.json -o ../clips --state ../s -- ../changes
image >after
diff before after || fail "an explored run changed the files"
python3 - <<'END'
import json
e = json.load(open("found.json"))["exploration"]
assert e["schedules"] >= 2 and not e["failures"], e
END

# a file whose path is too long to be private: the run is refused
inside "$PF" explore --json ../far.json -o ../clips --state ../s -- ../changes 20
has far.json "the use of a path of 4096 bytes or more"
image >again
diff after again || fail "an explored run changed a file with a long path"

# schedules of a batch; one of them is kept and replays without the files
mkdir kept
inside "$PF" record -o ../base.clip --at=T0:1 --continue=4 --tail='random:*' --folder=../kept -- ../changes
image >again
diff after again || fail "a continuation changed the files"
rm -rf world
for clip in kept/*.clip; do
    status 0 "$PF" replay "$clip"
done
