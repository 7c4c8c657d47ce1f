# The hash of a function's code (in its record, section pf_func) changes with each part of the code,
# not with a rebuild.
part=$ROOT/test/shell/part/body_hash.c
record() { # NAME FLAGS...: the function's record
    "$PF" cc -O1 -c "${@:2}" body.c -o "$1.o"
    objcopy -O binary --only-section=pf_func --set-section-flags pf_func=alloc "$1.o" "$1"
    test -s "$1"
}
cp "$part" body.c
record old -DCHANGE=0
record again -DCHANGE=0 -DUNUSED
cmp old again
for change in 1 2 3 4 5 6 7 8 9; do
    record new -DCHANGE=$change
    if cmp -s old new; then
        fail "change $change keeps the hash"
    fi
done
