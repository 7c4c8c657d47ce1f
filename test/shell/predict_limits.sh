# A search that a limit cut short reports this and is never called complete; a full search is.
python3 - <<'EOF'
def threads(body):
    lines = [f"T0 fork T{t}" for t in (1, 2)]
    for t in (1, 2):
        lines += [f"T{t} begin", *body(t)]
    return "\n".join(lines) + "\n"

def units(n):  # units of the same code, each with separate memory
    return lambda t: [f"T{t} {what} @a.c:{t}{k}" for i in range(n)
                      for k, what in enumerate((f"lock m{t}", f"write x{i}=1", f"write y{i}=1", f"unlock m{t}"))]

open("alike.txt", "w").write(threads(units(100)))
open("few.txt", "w").write(threads(units(3)))
open("long.txt", "w").write(threads(lambda t: [f"T{t} write x={i} @a.c:{t}{i:02}" for i in range(24)]))
EOF
status 66 "$PF" predict --analysis=pecan --json few.json few.txt
hasnt out "NOT"
has few.json '"complete":true'
status 66 "$PF" predict --analysis=pecan --json alike.json alike.txt
has out "alternatives with the same code NOT examined (limits of the search)"
has alike.json '"complete":false'
cat >many.pattern <<'END'
pattern many kind race
  E  a - b - c - d - e - f - g - h
  T  t - u - t - u - t - u - t - u
  SV x - x - x - x - x - x - x - x
  AR 1 - 2 - 3 - 4 - 5 - 6 - 7 - 8
  AT w - w - w - w - w - w - w - w
  next g h
END
status 66 "$PF" predict --patterns many.pattern --json long.json long.txt
has out "1 patterns NOT fully searched (budget used up)"
has long.json '"complete":false'

# A rejection is valid only within the window: T1's section may run first, but the beginning of T0's
# section is too far away to be seen. Nearer (test/trace/trap/window_grows.txt), it is a race.
python3 - >wide.txt <<'EOF'
print("T0 lock m\n" + "T0 write p=1\n" * 6000 + "T0 write x=1\nT0 unlock m\nT1 lock m\nT1 unlock m\nT1 write x=2")
EOF
status 0 "$PF" predict --json wide.json wide.txt
has out "predict: 0 races (witnessed), 1 rejected, but a larger window was not tried"
has wide.json '"complete":false'
# With a larger window it is found.
status 66 "$PF" predict --window 7000 wide.txt
has out "predict: 1 race (witnessed)"
# cp never compares accesses that are far apart.
status 0 "$PF" predict --analysis=cp --json wide.json wide.txt
has out "further windows (accesses farther apart NOT compared)"
hasnt out "rejected"
has wide.json '"complete":false'
for wrong in 1 1000001 many; do
    status 2 "$PF" predict --window "$wrong" wide.txt
    has err "--window=$wrong: expected a number from 2 to 1000000"
done
status 2 "$PF" hatch --window none wide.txt
has err "--window=none: expected a number from 2 to 1000000"
status 0 "$PF" predict --json whole.json "$ROOT/test/trace/rdit/caveat1_overlap.txt"
has out "predict: 0 races (witnessed), 2 pairs of sites rejected"
has whole.json '"complete":true'

# A sync-preserving race needs no window, however far apart its accesses are; the order that missing
# calls keep counts there, too.
python3 - <<'EOF'
def far(before, after):
    filler = "T0 write p=1\n" * 6000
    return f"T0 write x=1\n{before}{filler}T1 lock m\nT1 write q=1\nT1 unlock m\n{after}T1 write x=2\n"

open("far.txt", "w").write(far("", ""))
open("called.txt", "w").write(far("T0 call f { d }\nT0 ret f\n", "T1 call f { d }\nT1 ret f\n"))
open("apart.txt", "w").write(far("T0 call f { d }\nT0 ret f\n", "T1 call f { e }\nT1 ret f\n"))
EOF
for far in far apart; do
    status 66 "$PF" predict --json far.json $far.txt
    has out "predict: 1 race (witnessed)"
    has far.json '"complete":true'
done
status 0 "$PF" predict called.txt
has out "predict: 0 races (witnessed), 1 rejected, but a larger window was not tried"

# An access represents the earlier ones of the same code. Where its pair is rejected, theirs are
# counted as not tried, unless the order of the events excludes them, too.
cat >older.txt <<'END'
T0 fork T1
T0 write x=1 @a.c:1   T0 write x=2 @a.c:1   T0 awrite f=1 @a.c:2
T1 begin              T1 aread f=1 @b.c:1   T1 write x=3 @b.c:2
END
status 0 "$PF" predict --analysis=mc --json older.json older.txt
has out "mc: 0 races (witnessed), 1 pairs of sites rejected, 1 pairs of accesses at rejected sites NOT tried"
has older.json '"complete":false'
sed -e '/^T0 fork/d' -e 's/^T1 begin.*aread/T0 fork T1 T1 begin T1 aread/' older.txt >ordered.txt
status 0 "$PF" predict --analysis=mc --json ordered.json ordered.txt
has out "mc: 0 races (witnessed)"
has ordered.json '"complete":true'

# A match without a schedule: the same code has more instances than are tried. Without a lock that
# T2 needs, there is a schedule, and nothing is left to try.
python3 - >instances.txt <<'END'
print("T0 fork T1\nT0 fork T2")
for t, (a, b) in ((1, "ab"), (2, "ba")):
    print(f"T{t} begin")
    for i in range(5):
        code = f"lock {a}", f"lock {b}", f"unlock {b}", "write x=1", f"unlock {a}"
        print("\n".join(f"T{t} {what} @{t}.c:{k}" for k, what in enumerate(code)))
END
status 0 "$PF" predict --analysis=pecan --json instances.json instances.txt
has out "1 without a schedule"
has out "alternatives with the same code NOT examined (limits of the search)"
has instances.json '"complete":false'
sed '/^T2.*lock a/d' instances.txt >free.txt
status 66 "$PF" predict --analysis=pecan --json free.json free.txt
hasnt out "NOT examined"
has free.json '"complete":true'

# A pair of accesses that is too hard to decide is "unknown".
python3 - >hard.txt <<'EOF'
state, memory = 1, [0, 0]
def pick(n):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 33) % n
print("init x0=0 init x1=0")
for i in range(400):
    t, v, value = pick(8), pick(2), pick(8)
    if i in (200, 399):
        print(f"T{i % 2} write y=1")
    elif value < 4:
        print(f"T{t} aread x{v}={memory[v]}")
    else:
        memory[v] = value
        print(f"T{t} awrite x{v}={value}")
EOF
status 0 "$PF" predict --json hard.json hard.txt
has out "1 unknown (budget used up)"
has hard.json '"complete":false'

# On a time-out or an interrupt, the search ends and reports what it found so far.
python3 - >big.txt <<'EOF'
print("\n".join([f"T0 fork T{t}" for t in (1, 2)] + [f"T{t} begin" for t in (1, 2)] +
                [f"T{1 + i % 2} write x{i // 2}={i} @a.c:{i}" for i in range(60000)]))
EOF
status 66 "$PF" predict --analysis=cp,rdit,hb,syncp,lockset,pecan --limit 1ms --json big.json big.txt
[[ $(grep -c ", stopped: NOT fully searched" out) == 6 ]] || fail "not all searches were stopped"
has big.json '"complete":false'
status 2 "$PF" predict --limit soon big.txt
has err "--limit=soon: expected a duration such as 500ms, 90s or 2m"

# pf hatch: the same. The units of many.c are 80 calls of the same code.
cp "$ROOT/test/shell/part/predict_limits_many.c" many.c
"$PF" cc -O0 -g many.c -o many
status 0 "$PF" record -o many.clip -- ./many
status 66 "$PF" hatch --json many.json many.clip
has out " real"
has out "NOT all of the trace was searched: there may be more"
has many.json '"complete":false'
status 0 "$PF" hatch --limit 1ms --json many.json many.clip
has out "NOT all of the trace was searched: there may be more"
has many.json '"complete":false'

# A lock cycle among more threads than the search covers: it finds none and says that not all cycles
# were searched.
python3 - >ring.txt <<'END'
for t in range(17):
    a, b, n = f"l{t}", f"l{(t + 1) % 17}", 4 * t
    print(f"{n + 1} T{t} lock {a}  {n + 2} T{t} lock {b}  {n + 3} T{t} unlock {b}  {n + 4} T{t} unlock {a}")
END
status 0 "$PF" predict --analysis=deadlock --json ring.json ring.txt
has out "0 lock cycles with a schedule (try them with pf hatch), not all cycles were examined"
has ring.json '"complete":false'
# Of an edge of the lock graph, a few events are kept. Where no other event can help, because T2
# begins after T1 has ended, all cycles were examined.
python3 - <<'END'
def sections(t, a, b, n):
    return "\n".join(f"T{t} {what} @{t}.c:{k}" for _ in range(n)
                     for k, what in enumerate((f"lock {a}", f"lock {b}", f"unlock {b}", f"unlock {a}")))
start = "T0 fork T1\nT1 begin\n" + sections(1, "a", "b", 10)
late = "\nT1 end\nT0 join T1\nT0 fork T2\nT2 begin\n" + sections(2, "b", "a", 10)
open("late.txt", "w").write(start + late + "\n")
END
status 0 "$PF" predict --analysis=deadlock --json late.json late.txt
has out "0 lock cycles with a schedule (try them with pf hatch), 1 without"
has late.json '"complete":true'

# A cycle of sites that has a schedule with one of its threads counts once, whatever was tried.
cat >twice.txt <<'EOF'
T0 lock a  T0 lock b @f.c:1  T0 unlock b  T0 unlock a
T0 fork T1  T0 fork T2
T1 begin  T1 lock b  T1 lock a @f.c:2  T1 unlock a  T1 unlock b
T2 begin  T2 lock a  T2 lock b @f.c:1  T2 unlock b  T2 unlock a
EOF
status 0 "$PF" predict --analysis=deadlock twice.txt
has out "1 lock cycles with a schedule (try them with pf hatch)"
hasnt out "without"
