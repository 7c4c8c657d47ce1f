# A real program from Debian source, built by its own makefile with pf cc and used for real: the
# smallest of `make realworld`. Without a way to fetch the source there is nothing to test.
status_of() { "$@" >out 2>err && echo 0 || echo $?; }
rc=$(status_of "$ROOT/bench/realworld" --pf "$PF" --work "$BUILD" --only pbzip2 --flavours native,pf)
if grep -qE "source of [a-z0-9]+: |apt-get update: |no Debian entries" out; then
    echo "skipped: the source cannot be fetched here"
    exit 77
fi
[[ $rc == 0 ]] || fail "exit status $rc"
[[ $(grep -c "results equal, 0 race reports" out) == 4 ]] || fail "four equal results wanted"
