# --without-lock: one lock operation does nothing, in recordings, replays and all runs that start
# from them.
cp "$ROOT/test/shell/part/removed_locks.cc" locks.cc
"$PF" c++ -O1 -g -fno-inline locks.cc -o locks
for kind in cxx:20 shared:23 rw:26 spin:30 c11:34 try:38; do
    status 0 "$PF" record --watch -o with.clip -- ./locks "${kind%:*}"
    status 0 "$PF" predict --analysis=hb with.clip
    status 0 "$PF" record --watch --without-lock "locks.cc:${kind#*:}" -o without.clip -- ./locks "${kind%:*}"
    status 66 "$PF" predict --analysis=hb without.clip
    has out counter
    status 0 "$PF" replay without.clip
    "$PF" judge --without-lock "locks.cc:${kind#*:}" with.clip >out 2>err || true
    has out "on counter"
done

# An unlock belongs to the operation that took the lock: the outer one of a recursive mutex still
# holds.
status 0 "$PF" record --without-lock locks.cc:44 -o without.clip -- ./locks recursive
status 0 "$PF" predict --analysis=hb without.clip

# Wrong input.
status 2 "$PF" record --without-lock locks.cc -o x.clip -- ./locks cxx
has err "expected FILE:LINE"
status 2 "$PF" record --without-lock locks.cc:1 -o x.clip -- ./locks cxx
has err "no lock operation was performed there"
status 2 "$PF" judge --without-lock locks.cc:1 with.clip
has err "no lock operation was performed there"
status 2 "$PF" judge --without-lock locks.cc:1
has err "--without-lock needs a recording"
