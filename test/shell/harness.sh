# The harness of the program tests detects every kind of wrong expectation.
run() { status "$1" python3 "$ROOT/test/run/program.py" --pf "$PF" --runs 1 --level O1 "$2"; }
racy="$ROOT/test/program/basic/plain_1_racy.c" race_free="$ROOT/test/program/basic/part_halves_ok.c"
edit() { sed "$2" "$1" >edited.c; }

edit "$racy" ''
run 0 edited.c
edit "$racy" 's/^\/\/ want:.*/\/\/ want: none/'
run 1 edited.c
has out "unexpected:"
has out "exit status 66, expected 0"
edit "$race_free" 's/^\/\/ want:.*/\/\/ want: race at A A/; s/half\[0\] = 1;/half[0] = 1; \/* A *\//'
run 1 edited.c
has out "missing: race at A"
edit "$racy" 's/SECOND:write/SECOND:read/'
run 1 edited.c
has out "with another kind of access"
edit "$racy" 's/race shared/race other/'
run 1 edited.c
has out "with another kind of access or variable"
edit "$racy" '2i // stack: FIRST first main'
run 1 edited.c
has out "stack at FIRST"
edit "$racy" '2i // stdout: hello'
run 1 edited.c
has out "standard output is"
edit "$race_free" '2i // exit: 3'
run 1 edited.c
has out "exit status 0, expected 3"
edit "$racy" '2i // wnat: none'
run 1 edited.c
has out "unknown line"
edit "$racy" 's/at FIRST/at NOWHERE/'
run 1 edited.c
has out "mark NOWHERE is on 0 lines"
edit "$racy" '/want/d'
run 1 edited.c
has out "expected a \`// want:\` or a \`// case:\` line"
edit "$racy" 's/char shared/char shared()/'
run 1 edited.c
has out "the build printed messages or failed"

# A suite names the programs that it skips, with the reason; the summary of `make test-all` has the
# names in its last line.
edit "$race_free" '2i // direct: it cannot be recorded'
status 0 python3 "$ROOT/test/run/program.py" --pf "$PF" --runs 1 --direct 1,1 edited.c
has out "skipped: edited.c: it cannot be recorded"
hasnt out "ok edited.c"
edit "$race_free" 's/^\/\/ want:.*/\/\/ case: run/'
status 0 "$ROOT/test/run/all" "$PF" "$PWD/all" "$PWD/edited.c"
has out "skipped: $PWD/edited.c: has only cases"
has out "directed 0 passed, 0 failed, 1 skipped; predicted 0 passed, 0 failed, 1 skipped; skipped: $PWD/edited.c; all suites passed"
