# pf judge --from: races that other tools report are recorded and judged.
cp "$ROOT/test/shell/part/judge_two.c" two.c
"$PF" cc -O0 -g two.c -o two
at() { grep -n "$1" two.c | cut -d: -f1; }
access() { printf '  %s of size 4 at 0x10 by thread %s:\n    #0 work %s/two.c:%s:5 (two+0x1)\n\n' "$1" "$2" "$PWD" "$3"; }
report() {
    echo "=================="
    echo "WARNING: ThreadSanitizer: data race (pid=1)"
    access Write T2 "$1"
    access "Previous write" T1 "$1"
    echo "SUMMARY: ThreadSanitizer: data race $PWD/two.c:$1:5 in work"
    echo "=================="
}
{ report "$(at 'kept = ')"; report "$(at 'redundant = 1')"; } >tsan.log
status 66 "$PF" judge --from tsan.log --json j.json -- ./two
has err "tsan.log: 2 candidates of tsan, 0 known, 0 skipped"
has out "judge: 2 races, 1 output-differs, 1 k-witness-harmless"
has out 'output: descriptor 1, byte 0: primary: "'
python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" j.json
status 66 "$PF" report --from j.json
has out "Judged: output-differs"
status 0 "$PF" judge --fail-on=spec-violated --from tsan.log -- ./two

# Helgrind.
frame() { echo "<stack><frame><ip>0x1</ip><obj>$PWD/two</obj><fn>work</fn><dir>$PWD</dir><file>two.c</file><line>$1</line></frame></stack>"; }
cat >helgrind.xml <<END
<?xml version="1.0"?>
<valgrindoutput>
<protocoltool>helgrind</protocoltool>
<error><kind>Race</kind>
<xwhat><text>Possible data race during write of size 4 at 0x10C078 by thread #3</text><hthreadid>3</hthreadid></xwhat>
$(frame "$(at 'kept = ')")
<xauxwhat><text>This conflicts with a previous write of size 4 by thread #2</text><hthreadid>2</hthreadid></xauxwhat>
$(frame "$(at 'kept = ')")
</error>
</valgrindoutput>
END
status 66 "$PF" judge --met 0 --from helgrind.xml -- ./two
has out "judge: 1 race, 1 output-differs"

# A race that does not exist is not judged; the program of the state folder is used if none is
# given.
report 1 >none.log
status 0 "$PF" judge --from none.log -- ./two
has out "undecided: race"
status 2 "$PF" judge --from tsan.log
has err "tsan.log: which program is it about? pf judge --from tsan.log -- PROG ARGS..."
status 66 "$PF" run --quiet --state s -- ./two
status 66 "$PF" judge --state s --from tsan.log
has out "judge: 2 races, 1 output-differs, 1 k-witness-harmless"

# A document of another verb has its clips.
status 0 "$PF" record -o two.clip -- ./two
"$PF" hatch --json hatched.json two.clip >/dev/null || true
status 66 "$PF" judge --from hatched.json
has out "1 output-differs, 1 k-witness-harmless"
status 2 "$PF" judge --from two.c -- ./two
has err "two.c: "
status 2 "$PF" judge --from tsan.log --race T1:1,T2:1 -- ./two
has err "--from cannot be combined"
