# Attributes of a function (it only reads, it returns, it does not wait) are removed from its bodies
# and its bare entry, where they would be false.
echo '__attribute__((noinline)) int one(const int *p) { return p[0] + p[1]; }' >one.c
status 0 clang-19 -O2 -S -emit-llvm -o native.ll one.c
status 0 grep -qE '^attributes .*(memory|nosync|willreturn)' native.ll
status 0 "$PF" cc -O2 -S -emit-llvm -o one.ll one.c
for name in one one.pf; do
    group=$(sed -nE "s/^define .*@$name\(.* (#[0-9]+) .*/\1/p" one.ll)
    status 0 grep -q "^attributes $group = " one.ll
    status 1 grep -qE "^attributes $group = .* (memory\(|nosync|nofree|norecurse|willreturn)" one.ll
done
