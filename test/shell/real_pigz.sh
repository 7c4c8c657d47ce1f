# A real program: Debian's pigz and zlib, built by their own build systems, used under pf run.
# The sources are fetched once and kept; the build with pf is made anew.
work=$BUILD/test-real
rm -rf "$work/real/pf"
status 0 python3 "$ROOT/bench/realworld" --only pigz --flavours native,pf --pf "$PF" --work "$work"
has out "pigz -d"
has out "results equal"
hasnt out "PROBLEM"
