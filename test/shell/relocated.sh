# The installed tree works from where it was installed, and after it was moved.
cmake --install "$BUILD" --prefix "$PWD/first" >/dev/null
mv first "second place"
pf="$PWD/second place/bin/pf"
status 0 "$pf" cc -O1 -o tally "$ROOT/example/tally.c" -pthread
status 66 "$pf" run -- ./tally
has err "data race"
has err "tally.c"
status 0 "second place/bin/pf-cc" -O1 -DFIXED -o fixed "$ROOT/example/tally.c" -pthread
status 0 "$pf" run -- ./fixed
hasnt err "data race"
