# pf report --html: one file, used in headless Chromium. The screenshots stay in the test's folder.
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[[ -s $BUILD/page/page.html && -n $chromium ]] || { echo "skipped: the page was not built, or no chromium"; exit 77; }
cp "$ROOT/test/shell/part/report_race.c" race.c
status 0 "$PF" cc -g -I"$ROOT/test/program" -o race race.c -pthread
status 66 "$PF" suite --quiet --state s -- ./race
status 66 "$PF" report --html --state s -o real.html
# A predicted race has its schedule.
cat >trace.txt <<'END'
1 T0 fork T1
2 T0 lock m
3 T0 write x=1
4 T0 unlock m
5 T1 begin
6 T1 lock m
7 T1 read y
8 T1 unlock m
9 T1 write x=2
END
status 66 "$PF" predict --json predicted.json trace.txt
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" predicted.json
status 66 "$PF" report --html --from predicted.json -o predicted.html
# A check has clips of both orders.
cp "$ROOT/test/shell/part/report_html_twice.c" twice.c
status 0 "$PF" cc -g -o twice twice.c -pthread
status 66 "$PF" check --runs 2 --quiet --state c -- ./twice
status 66 "$PF" report --html --state c -o checked.html
make_logs() { python3 "$ROOT/test/run/make_logs.py" "$@"; }
make_logs some-logs 12
make_logs hostile-logs 10 hostile
make_logs many-logs 5000
mkdir none-logs src
seq 1 80 | sed 's/.*/int line&; \/\/ <b>/' >'src/a b.c'
for name in some hostile many; do
    status 66 "$PF" report --html "$name-logs" -o $name.html
done
status 0 "$PF" report --html none-logs -o none.html
# One file without references to other resources.
for name in real some hostile many none predicted checked; do
    ! grep -oE "(src|href)=[\"']?[a-z]+:" $name.html || fail "$name.html refers to another resource"
    [[ $(grep -c '</script' $name.html) == 2 ]] || fail "$name.html has other scripts"
done
has real.html "Content-Security-Policy"
status 0 node "$ROOT/test/run/page.mjs" "$BUILD/page" "$chromium" "$PWD"
[[ -s checked.png && -s real.png && -s dark.png && -s phone.png && -s hostile.png && -s many.png && -s paper.pdf ]]
