# shellcheck shell=bash disable=SC2154
# Recordings that cannot be written or read: a message names the file and the reason, the status is
# 2, and nothing is lost.
cp "$ROOT/test/shell/part/clip_errors_two.c" two.c
export PF
status 0 "$PF" cc -g -O1 -o two two.c -pthread
status 7 "$PF" record --trace -o two.clip -- ./two
has out "50"
status 7 "$PF" replay two.clip
has out "50"
# shellcheck disable=SC2016
status 2 bash -c '"$PF" replay two.clip >/dev/full'
has err "could not be shown: No space left on device"

# An output file that is the input is refused, and the input stays as it is.
cp two.clip kept.clip
cp two kept
ln two.clip linked.clip
for command in "dump -o linked.clip two.clip" "replay --trace two.clip linked.clip" "predict --json two.clip two.clip" \
    "hatch --json linked.clip two.clip" "judge --json two.clip two.clip" "record -o two -- ./two"; do
    # shellcheck disable=SC2086
    status 2 "$PF" $command
    has err ": the output would replace the file that pf ${command%% *} needs"
done
cmp two.clip kept.clip
cmp two kept
# A file that cannot be written is refused before anything is run.
for command in "record -o three.clip --json no/file -- ./two" "predict --json no/file two.clip" "hatch --json no/file two.clip" \
    "judge --json no/file two.clip" "explore --json no/file -- ./two" "hunt --json no/file -- ./two"; do
    # shellcheck disable=SC2086
    status 2 "$PF" $command
    has err "no/file: cannot be written: No such file or directory"
    [[ ! -s out ]] || fail "something was run"
done
status 2 "$PF" hunt --export two -- ./two
has err "two: Not a directory"
# A folder is refused before the program runs.
status 2 "$PF" run --json . -- ./two
has err ".: cannot be written: Is a directory"
[[ ! -s out ]] || fail "the program was run"

# The output file cannot be written.
status 2 bash -c '"$PF" predict two.clip >/dev/full'
has err "standard output: No space left on device"
status 2 "$PF" record -o /dev/full -- ./two
has err "/dev/full: No space left on device"
# No room for the trace: schedule and inputs are written, and a replay reaches the end.
cp "$ROOT/test/shell/part/clip_errors_many.c" many.c
status 0 "$PF" cc -g -O1 -o many many.c -pthread
(ulimit -f 100 && status 2 "$PF" record --trace -o many.clip -- ./many)
has err "cannot create the memory shared with the program: File too large"
# shellcheck disable=SC2016
if unshare -rm true 2>err; then
    status 2 unshare -rm bash -c 'mkdir small && mount -t tmpfs -o size=200k none small &&
        "$PF" record --trace -o small/many.clip -- ./many; s=$?; cp small/many.clip .; exit $s'
    has err "small/many.clip: No space left on device"
    mv out recorded
    status 7 "$PF" replay many.clip
    has err "has no end"
    cmp out recorded
    status 0 "$PF" dump -o many.txt many.clip # the complete trace is regenerated from schedule and inputs
    hasnt err "the events before that point are used"
    [ "$(grep -c ' write' many.txt)" -ge 2000000 ]
    # Nor can a log of findings be written.
    status 2 unshare -rm bash -c 'mkdir full && mount -t tmpfs -o size=4k none full && mkdir full/log &&
        head -c 4096 /dev/zero >full/fill; "$PF" run --log full/log -- ./two'
    has err "full/log: the log of findings could not be written (is the disk full?), so the result is unknown"
fi
status 2 "$PF" record -o nowhere/two.clip -- ./two
has err "nowhere/two.clip: No such file or directory"
status 2 "$PF" record --schedule=often -o x.clip -- ./two
has err "--schedule=often: expected"
status 2 "$PF" record -o x.clip -- ./two.c
has err "./two.c: not executable"

# Files that are not recordings.
status 2 "$PF" replay nothing.clip
has err "nothing.clip: No such file or directory"
: >empty.clip
status 2 "$PF" replay empty.clip
has err "empty.clip: is empty"
status 2 "$PF" replay two.c
has err "two.c: not a photofinish recording"
status 2 "$PF" replay .
has err ".: is a directory"
head -c 40 two.clip >head.clip
status 2 "$PF" replay head.clip
has err "head.clip: offset 16: the file ends within"

# Another format version, another build of the program.
{ head -c 8 two.clip; printf '\2'; tail -c +10 two.clip; } >later.clip
status 2 "$PF" replay later.clip
has err "later.clip: clip format version 2, but this pf reads version 1"
status 0 "$PF" cc -g -O0 -o two two.c -pthread
status 2 "$PF" replay two.clip
has err "two.clip: recorded from another build of"
export PF
status 0 "$PF" cc -g -O1 -o two two.c -pthread

# Truncated, or damaged in the middle: the part before is used, and a message says so.
status 7 "$PF" record --trace -o two.clip -- ./two
size=$(stat -c %s two.clip)
head -c $((size - 10)) two.clip >cut.clip
status 0 "$PF" dump cut.clip
has err "cut.clip: is truncated (the file ends within a chunk, at offset"
has out "T0 fork? T1"
status 0 "$PF" dump --about cut.clip
has out "cut the file ends within a chunk"

# Converted to text and back: the same events.
status 0 "$PF" dump -o two.txt two.clip
status 0 "$PF" dump -o again.txt two.txt
status 0 cmp two.txt again.txt
# A dump that fails leaves its file as it was.
status 2 "$PF" dump -o again.txt missing.clip
status 0 cmp two.txt again.txt
status 2 "$PF" dump -o new.txt missing.clip
[[ ! -e new.txt ]] || fail "pf dump has created a file although it has failed"
status 2 "$PF" dump
has err "one file"
