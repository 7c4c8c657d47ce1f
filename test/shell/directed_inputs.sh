# shellcheck shell=bash disable=SC2154
# Directed mode: all inputs are in the recording. A replay takes them from there and has no effect
# outside of its process.

# Standard input, files that appear and disappear, randomness, threads that read and write, a child,
# a signal to a thread.
cp "$ROOT/test/shell/part/directed_inputs_all.c" all.c
"$PF" cc -g all.c -o all
echo "of the file" >data
for seed in 1 2; do
    s=0
    echo "a line" | "$PF" record -o all.clip --schedule=random:$seed -- ./all >recorded 2>said || s=$?
    [[ $s == 7 ]] || fail "recording ended with $s"
    has recorded "400000 bytes, 1 handled"
    has recorded "from a child"
    rm made
    echo "another file by now" >data
    for _ in 1 2 3; do
        status 7 "$PF" replay all.clip </dev/null
        cmp out recorded
        for words in err said; do
            sed -i '/^pf [a-z]*: the program started other processes/d; /^pf replay: shown: /d; /^pf record: the program executed another program/d' $words
        done
        cmp err said
    done
    [[ ! -e made ]] || fail "the replay created a file"
    status 7 "$PF" replay --quiet all.clip
    [[ ! -s out ]] || fail "--quiet shows output"
    echo "of the file" >data
done

# A server with its client outside; then a replay without the client.
cp "$ROOT/test/shell/part/directed_inputs_server.c" server.c
"$PF" cc -g server.c -o server
mkfifo told
"$PF" record -o server.clip -- ./server >told &
recorder=$!
exec 5<told
read -r _ port <&5
for _ in 1 2 3; do
    exec 6<>/dev/tcp/127.0.0.1/"$port"
    echo question >&6
    read -r answer <&6
    [[ $answer == answer ]] || fail "the server answered $answer"
    exec 6>&-
done
read -r last <&5
wait $recorder
[[ $last == served ]] || fail "the last output of the server is $last"
status 0 "$PF" replay server.clip
has out "port $port"
has out served

# Termination by a signal: from outside while it waits, by itself, by a fault.
cp "$ROOT/test/shell/part/directed_inputs_ends.c" ends.c
"$PF" cc -g ends.c -o ends
for how in abort fault; do
    s=0
    (ulimit -c 0; "$PF" record -o ends.clip -- ./ends $how) >recorded 2>/dev/null || s=$?
    [[ $s -ge 128 ]] || fail "$how ended with $s"
    status $s "$PF" replay ends.clip
    cmp out recorded
done
"$PF" record -o ends.clip -- ./ends term >told 2>err &
recorder=$!
exec 5<told
read -r _ <&5
kill -TERM $recorder
s=0
wait $recorder || s=$?
[[ $s == 143 ]] || fail "SIGTERM ended it with $s"
status 143 "$PF" replay ends.clip
has out term

# An unknown system call is made, and the recording says that it may not replay.
cp "$ROOT/test/shell/part/directed_inputs_unknown.c" unknown.c
"$PF" cc -D_GNU_SOURCE unknown.c -o unknown
status 0 "$PF" record -o unknown.clip -- ./unknown
has err "may not replay: system call 500"
status 0 "$PF" replay unknown.clip

# A fault in the middle of accesses that are counted together: the replay that writes the trace
# counts them one by one.
cp "$ROOT/test/shell/part/directed_inputs_faults.c" faults.c
"$PF" cc -O1 -g faults.c -o faults
status 139 "$PF" record -o faults.clip -- ./faults
status 139 "$PF" replay faults.clip
status 0 "$PF" dump faults.clip
has out "faults.c:7"

# Semaphores in memory shared with a child: the run waits for the child and reports no deadlock.
cp "$ROOT/test/shell/part/directed_inputs_shared.c" shared.c
"$PF" cc -O1 -g shared.c -o shared
status 0 "$PF" record -o shared.clip -- ./shared
has out posted
has err "may not replay: memory shared with a child process"

# A child's writes to shared memory are missing in a replay: it diverges and repeats the warning of
# the recording.
cp "$ROOT/test/shell/part/directed_inputs_wrote.c" wrote.c
"$PF" cc -O1 -g wrote.c -o wrote
status 0 "$PF" record -o wrote.clip -- ./wrote
status 2 "$PF" replay wrote.clip
has err "diverged from the recording"
has err "the recording was marked as possibly not replayable: memory shared with a child process"
# pf check says where the replay went wrong, and names the clip once.
status 0 "$PF" check --runs 1 --time 100s --state wrote.s -- ./wrote
has out "trying predictions: clips/1.clip: has no events, and could not be replayed to obtain them: the run diverged from the recording: "

# Randomness from the processor: std::random_device asks the kernel, and so does every library to
# which cpuid denies rdrand.
cp "$ROOT/test/shell/part/directed_inputs_random.cpp" random.cc
"$PF" c++ -g random.cc -o random
words=()
! grep -qw cpuid_fault /proc/cpuinfo || words=(too)
"$PF" record -o random.clip -- ./random "${words[@]}" >random.out
"$PF" record -o random.2.clip -- ./random "${words[@]}" >random.2.out
! cmp -s random.out random.2.out || fail "two recordings have the same numbers: $(cat random.out)"
for _ in 1 2 3; do
    "$PF" replay random.clip >random.again
    cmp random.out random.again || fail "$(cat random.out) became $(cat random.again)"
done
