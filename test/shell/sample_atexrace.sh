# The programs of the AtexRace paper (Guo, Cai, Yang, ESEC/FSE 2017), figures 2 and 6, in the
# executions it describes: LiteRace, which decides for each thread alone, misses races with
# functions that are hot there.
cp "$ROOT/test/shell/part/sample_atexrace_fig2.c" fig2.c
cp "$ROOT/test/shell/part/sample_atexrace_fig6.c" fig6.c
# A hot function stays in its loop while another thread calls a new one.
cp "$ROOT/test/shell/part/sample_atexrace_loop.c" loop.c
# main is the only thread when it is called, and not when it writes.
cp "$ROOT/test/shell/part/sample_atexrace_alone.c" alone.c
# Two threads are in work() all the time, but enter it once.
cp "$ROOT/test/shell/part/sample_atexrace_lasting.c" lasting.c
# A walk along pointers is short: its first call is watched in every execution, whatever its pairs
# are.
cp "$ROOT/test/shell/part/sample_atexrace_walk.c" walk.c
# Two threads race late in loops that call nothing, while a third one makes calls.
cp "$ROOT/test/shell/part/sample_atexrace_window.c" window.c
# A block of a loop is executed once, when no burst lasts.
cp "$ROOT/test/shell/part/sample_atexrace_rare.c" rare.c
# Two functions share memory without a common lock, and race late.
cp "$ROOT/test/shell/part/sample_atexrace_keep.c" keep.c
for program in fig2 fig6 loop alone lasting walk window rare keep; do
    status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o $program $program.c -pthread
done
export PF_OPTIONS="overhead=0" # no windows, which depend on time
# f4 is called for the first time while f1, which is hot, is called.
status 66 "$PF" run --sample=full -- ./fig2 c
status 0 "$PF" run --sample=literace -- ./fig2 c
status 66 "$PF" run --sample=atexrace --state s1 -- ./fig2 c
has err "Write of size 4"
has err "#0 f1"
has err "#0 f4"
has err "Location is global 'y'"
# f2 is called for the first time while f3, which is hot, is running again and again.
status 66 "$PF" run --sample=full -- ./fig2 d
status 0 "$PF" run --sample=literace -- ./fig2 d
status 66 "$PF" run --sample=atexrace --state s2 -- ./fig2 d
has err "#0 f2"
has err "#0 f3"
has err "Location is global 'y'"
# The pair (scan, fresh) is new: scan switches to its watch body at the end of the current
# iteration. The rest of that iteration is not watched, so in the last iteration it is too late.
status 66 "$PF" run --sample=full -- ./loop 4
status 0 "$PF" run --sample=literace -- ./loop 1000
status 66 "$PF" run --sample=atexrace --state sl -- ./loop 1000
has err "#0 scan"
has err "#0 fresh"
has err "Location is global 'shared'"
status 66 "$PF" run --sample=atexrace --state sl5 -- ./loop 5
status 0 "$PF" run --sample=atexrace --state sl4 -- ./loop 4
status 66 "$PF" run --sample=atexrace --state sa -- ./alone
# The pairs of ./lasting are new in two executions, and hot after that. The first calls of work()
# are watched in every execution, before and after its loop.
for i in 1 2 3 4; do
    status 66 "$PF" run --sample=atexrace --state sw -- ./lasting
done
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    "$PF" run --sample=atexrace --state sp --quiet -- ./walk || true
done
status 66 "$PF" run --sample=atexrace --state sp -- ./walk
has err "#0 walk"
# Only a window finds the race of ./window; without an argument, the program ends when it is found.
status 0 "$PF" run --sample=atexrace --state sv -- ./window 100000
status 66 env PF_OPTIONS=halt_on_error=1 "$PF" run --sample=atexrace --state sv -- ./window
has err "#0 loop"
has err "Location is global 'shared'"
for i in 1 2 3 4; do
    status 66 "$PF" run --sample=atexrace --state sr -- ./rare
done
has err "Location is global 'shared'"
# Both races of figure 6: the pair is new, then in its first burst.
status 66 "$PF" run --sample=full --json full.json -- ./fig6
status 0 "$PF" run --sample=literace -- ./fig6
status 66 "$PF" run --sample=atexrace --state s6 --json atex.json -- ./fig6
has err "Location is global 'x'"
has err "Location is global 'y'"
# Later executions know the pair: two in a row made it frequent, ten calls ended the burst. But a
# site of f5 was never watched while f6 was the other thread's function. So the pair is not covered,
# and each execution begins with a burst.
rarely=atexrace:10/100000
for i in 1 2 3 4; do
    status 66 "$PF" run --sample=$rarely --state s6 -- ./fig6
done
# A pair that shares memory without a common lock keeps its bursts: it is watched late in every
# execution, also when all its sites are covered.
status 0 "$PF" run --sample=literace -- ./keep
for i in 1 2 3 4; do
    status 66 "$PF" run --sample=atexrace --state sk -- ./keep
    has err "Location is global 'shared'"
done
# The algorithm as published finds the races of figures 2 and 6 in the same executions, until the
# pairs are known. Its pairs are stored apart from those of atexrace.
status 66 "$PF" run --sample=atexrace-paper --state pa -- ./fig2 c
has err "#0 f1"
has err "#0 f4"
status 66 "$PF" run --sample=atexrace-paper --state pb -- ./fig2 d
status 66 "$PF" run --sample=atexrace-paper --state pc -- ./fig6
status 66 "$PF" run --sample=atexrace-paper --state pc -- ./fig6
status 0 "$PF" run --sample=atexrace-paper --state pc -- ./fig6
status 66 "$PF" run --sample=atexrace --state pc -- ./fig6
status 2 "$PF" run --sample=atexrace-paper:10/100:2:1000 -- ./fig6
status 2 env PF_OPTIONS="sample='atexrace-paper:10/100:2:1000'" ./fig6
# The policy's parameters: every call of a known pair; no pair is ever known.
status 66 "$PF" run --sample=atexrace:100/100 --state s6 -- ./fig6
status 66 "$PF" run --sample=atexrace:10/100:255 --state s6 -- ./fig6
status 2 "$PF" run --sample=atexrace:0/100 -- ./fig6
status 2 "$PF" run --sample=atexrace:10/5 -- ./fig6
status 2 env PF_OPTIONS="sample='atexrace:10/100:0'" ./fig6
status 66 "$PF" run --sample=atexrace --overhead 5% --state so -- ./fig6
status 2 "$PF" run --sample=atexrace --overhead 101% -- ./fig6
has err "expected 1% to 100%"
status 2 "$PF" run --sample=literace --overhead 10% -- ./fig6
status 2 "$PF" run --sample=atexrace --overhead 5x -- ./fig6
# Another build of the same source keeps what was learned; a changed function is new again.
covered() {
    python3 "$ROOT/test/run/state.py" check s6 | sed 's/.*covered //'
}
known=$(covered)
sed -i 's/^    y += x;/&/; 1i /* a line more */' fig6.c
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o fig6 fig6.c -pthread
status 66 "$PF" run --sample=$rarely --state s6 -- ./fig6
[[ $(covered) == "$known" ]]
sed -i 's/        x++;/        x += 3;/' fig6.c
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o fig6 fig6.c -pthread
status 66 "$PF" run --sample=$rarely --state s6 -- ./fig6
[[ $(covered) -gt $known ]]
# Without --state: in the current folder.
status 66 "$PF" run --sample=atexrace -- ./fig6
ls -d .photofinish/pairs/fig6-* >out
