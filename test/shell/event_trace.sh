# The contents of a full recording: accesses, atomics, copies, calls into code without events, and
# excluded functions. The schedule alone leads to the same results.
clang-19 -DPF_CHANNEL_VERSION=0 -I"$ROOT/src/clip" -I"$ROOT/src/abi" -I"$ROOT/src/base" -o show "$ROOT/test/run/show_events.c" \
    "$BUILD/src/clip/libpf_clip.a" "$BUILD/src/base/libpf_base.a" -lzstd -lxxhash
cp "$ROOT/test/shell/part/event_trace_lib.c" lib.c
cp "$ROOT/test/shell/part/event_trace_main.c" main.c
clang-19 -O1 -shared -fPIC -o liblib.so lib.c
status 0 "$PF" cc -O1 -g -o prog main.c -pthread -L. -llib -Wl,-rpath,"$PWD"
status 0 "$PF" record --trace -o all.clip -- ./prog
has out "15 1 12"
status 0 "$PF" replay all.clip
has out "15 1 12"
status 0 ./show all.clip
grep "^T1" out | cut -d' ' -f3- | sed -n '/call lib_sum/,$p' | grep -v '^end ' >stream
diff - stream <<'E2'
call lib_sum 0 =1 work:19
+call lib_sum 4 work:19
+call lib_sum 8 work:19
+call lib_sum 68 work:19
+call lib_sum 0 work:19
read z =0 callback:10
write z =5 callback:10
+call z 0 callback:10
read z =5 callback:10
write z =c callback:10
+ret lib_sum work:19
write x =e work:19
read - =5 helper:12
write - =6 helper:12
read - =6 inner:11
write - =7 inner:11
read x =e helper:12
write x =f helper:12
rmw a =2 old=0 work:21
read from work:22
+write to work:22
write y =1 work:23
E2
status 0 "$PF" record --trace --exclude='he?per' -o some.clip -- ./prog
has out "15 1 12"
status 0 ./show some.clip
grep "^T1" out | cut -d' ' -f3- | sed -n '/call helper/,/ret helper/p' | grep -v '+call' >stream
sed -i 's/^call helper [0-9]* =[0-9a-f]*/call helper/' stream
diff - stream <<'E2'
call helper work:20
read - =6 inner:11
write - =7 inner:11
+ret helper work:20
E2

# Functions excluded by the name of their source file. A message reports that an excluded function
# was inlined and has events in its callers.
cp "$ROOT/test/shell/part/event_trace_part.c" part.c
cp "$ROOT/test/shell/part/event_trace_whole.c" whole.c
status 0 "$PF" cc -O1 -g -o whole whole.c part.c
for glob in part.c 'par?.*' 'other,part_*'; do
    status 0 "$PF" record --exclude="$glob" -o whole.clip -- ./whole
    status 0 "$PF" dump whole.clip
    has out "T0 call? part_both {"
    hasnt out "@part.c"
    has out "write z:4=3 @whole.c"
    hasnt err "inlined"
done
status 0 "$PF" record --exclude=small -o whole.clip -- ./whole
status 0 "$PF" predict whole.clip
has err "small was to be excluded, but it was inlined into its callers and has events there; build with -fno-inline"

# A function of another file that does nothing is not code without events, and neither is an
# interposed function; a function whose code is opaque is.
cp "$ROOT/test/shell/part/event_trace_quiet.c" quiet.c
cp "$ROOT/test/shell/part/event_trace_asks.c" asks.c
status 0 "$PF" cc -O1 -fPIC -shared -o libquiet.so quiet.c
status 0 "$PF" cc -O1 -g -o asks asks.c -L. -lquiet -Wl,-rpath,"$PWD"
status 0 "$PF" record -o asks.clip -- ./asks
has out "2 1 2"
status 0 "$PF" dump asks.clip
has out "call opaque"
hasnt out "call quiet"
hasnt out "call? quiet"
hasnt out "call foreign"
hasnt out "call? foreign"
hasnt out "call pthread"
hasnt out "call? pthread"

# A forked child continues with the same code and writes nothing to the trace of its parent.
cp "$ROOT/test/shell/part/event_trace_forks.c" forks.c
"$PF" cc -g -O1 forks.c -o forks
status 0 "$PF" record --trace -o forks.clip -- ./forks
status 0 "$PF" dump forks.clip
[[ $(grep -c 'write.* x:4=' out) == 1000 ]] || fail "the trace must have the 1000 writes of the parent"
