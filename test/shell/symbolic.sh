# Symbolic recordings: what they need, what they contain, patches, and what is refused.
# symbolic_on_demand.sh runs it with another way to build programs.
way=${way:---symbolic}
cp "$ROOT/test/shell/part/symbolic_input.c" input.c
"$PF" cc $way -O1 -g input.c -o input -pthread
"$PF" cc -O1 -g input.c -o ordinary -pthread
cat >show.py <<'END'
import os, sys
sys.path.insert(0, os.environ["ROOT"] + "/test/oracle")
import clip, symbolic
log = symbolic.read(clip.read(sys.argv[1]).streams[symbolic.STREAM])
assert not list(symbolic.check(log))
for c in log.conditions:
    function, _, line, _ = log.sites[c.b]
    print(f"T{c.c} {function}:{line} {c.bits & 1} {symbolic.show(log, c.a)}")
for t in log.texts:
    print(f"text {log.sources[t.a]}+{t.x}..{t.x + t.c} {t.text.decode()}")
for (reason, name), n in log.lost.items():
    print(f"lost {n} {reason} {name}")
END

# Ordinary objects do not mention symbolic code at all.
"$PF" cc -O1 -g -c input.c -o ordinary.o
"$PF" cc --symbolic -O1 -g -c input.c -o symbolic.o
nm ordinary.o >out
hasnt out __pf_symbolic
nm symbolic.o >out
has out __pf_symbolic_node

# A number passes through memory to another thread; bytes of arguments, input and environment.
printf 'key=7\n' >in.txt
printf 'key=7\n' >stdin.txt
status 0 env MODE=fast "$PF" record --symbolic --input=argv,stdin,env:MODE,file:in.txt -o a.clip -- ./input 17 secret in.txt <stdin.txt
python3 show.py a.clip >out
has out "T1 worker"
has out "number(argv[1]+0..2)"
has out "input(argv[2]+0)"
has out "input(env:MODE+0)"
has out "input(file:in.txt+3)"
status 0 "$PF" replay --quiet a.clip
cp in.txt 12 # not a number of bytes
status 0 env MODE=fast "$PF" record --symbolic --input=argv,env:MODE,file:12 -o n.clip -- ./input 17 secret 12 <stdin.txt
python3 show.py n.clip >out
has out "input(file:12+3)"

# Models: options, lengths, comparisons, classes of characters, and the length of a file.
"$PF" cc $way -O0 -g -Wl,-z,max-page-size=0x200000 "$ROOT/test/shell/part/symbolic_words.c" -o words
printf 'MAx' >in.txt
status 0 "$PF" record --symbolic -o d.clip -- ./words abc <in.txt
python3 show.py d.clip >out
has out "main:31 0 and1(and1(eq1(input(argv[1]+0), 0x2d), eq1(input(argv[1]+1), 0x71)), eq1(input(argv[1]+2), 0x0))"
has out "eq1(input(argv[1]+8), 0x65)), eq1(input(argv[1]+9), 0x0))" # --verbose, longer than the argument
has out "ugt1(length(argv[1]), 0x40)"
has out "main:36 1 ne1(select32(eq1(input(argv[1]+0), 0x6f), select32(eq1(input(argv[1]+1), 0x70)"
has out "main:38 0 ne1(and32(zext32(select16("
has out "ugt1(length(stdin), 0x8)"
hasnt out lost

# Arguments by value in memory, and of a new thread.
"$PF" cc $way -O1 -g "$ROOT/test/shell/part/symbolic_calls.c" -o calls -pthread
status 0 "$PF" record --symbolic -o g.clip -- ./calls 9 1
python3 show.py g.clip >out
has out "number(argv[1]+0..1), 0), 0x7)"
has out "eq1(number(argv[2]+0..1), 0x5)"
has out "T1 start"
hasnt out lost

# Delimiters, texts of other lengths, counts of bytes to read, and a reader without a model.
"$PF" cc $way -O1 -g "$ROOT/test/shell/part/symbolic_tokens.c" -o tokens
printf 'ab,c\n\3xyzw' >in.txt
status 0 "$PF" record --symbolic -o f.clip -- ./tokens <in.txt
python3 show.py f.clip >out
has out "main:17 1 eq1(input(stdin+2), 0x2c)" # the comma, which strsep has overwritten
has out "main:17 0 eq1(input(stdin+3), 0x3b)"
has out "main:17 0 eq1(input(stdin+3), 0x0)" # a 0 would end the text
has out "text stdin+0..2 longer"
has out "eq1(input(stdin+5), 0x7)" # n is still a byte of the input after fread has returned it
hasnt out lost
status 119 "$PF" record --symbolic -o f.clip -- ./tokens x <in.txt
python3 show.py f.clip >out
has out "call of a function without a model __isoc99_scanf"

# Tables of the program: a constant one, one that is filled first, one of structs. A table that the
# input has changed is none.
for level in O0 O2; do
    "$PF" cc --symbolic -$level -g "$ROOT/test/shell/part/symbolic_tables.c" -o tables
    status 0 "$PF" record --symbolic -o i.clip -- ./tables abcd
    python3 show.py i.clip >out
    has out "zext64(input(argv[1]+1)))," # digits
    has out "main:26 0 eq1(select32(ult1(add64("
    hasnt out main:29
    hasnt out lost
    rm -rf state
    status 0 "$PF" hunt --state state --runs 40 -- ./tables abcd
    for f in state/hunt/corpus/*/argv*; do ./tables "$(cat "$f")" || true; done >out
    has out kind
    has out digit
    has out range
done

# Numbers whose text chooses the base: the solver's text must have the value that the solver wants.
"$PF" cc $way -O1 -g "$ROOT/test/shell/part/symbolic_base.c" -o base
printf '17\n0123\n' >in.txt
rm -rf state
status 0 "$PF" hunt --state state --runs 20 --without changes -- ./base 0x1f <in.txt
for d in state/hunt/corpus/*/; do ./base "$(cat "$d"argv*)" <"$d"stdin; done >out
has out "argument is 200" # the seed is hexadecimal
has out "first line is 8"
has out "second line is 9" # the seed is octal
cat state/hunt/corpus/*/stdin >out
hasnt out 08 # as long as 17, but octal

# A read after one that got fewer bytes than it wanted gets nothing, whatever the length.
"$PF" cc --symbolic -O1 -g "$ROOT/test/shell/part/symbolic_reads.c" -o reads
printf 'abcdef' >in.txt
status 6 "$PF" record --symbolic --input stdin -o j.clip -- ./reads 16 <in.txt
python3 show.py j.clip >out
has out "ult1(length(stdin), 0x10)"
hasnt out "sub64(length(stdin), 0x6)"
status 6 "$PF" record --symbolic --input stdin -o j.clip -- ./reads 3 <in.txt # here it depends on the length
python3 show.py j.clip >out
has out "sub64(length(stdin), 0x6)"

# A line with a 0 keeps its bytes. Whether a number begins is a condition, with and without one. An
# empty source has a length.
"$PF" cc $way -O1 -g "$ROOT/test/shell/part/symbolic_lines.c" -o lines
printf 'a\0b\n7\n' >in.txt
status 0 "$PF" record --symbolic --input stdin -o k.clip -- ./lines <in.txt
python3 show.py k.clip >out
has out "main:11 0 ult1(sub8(input(stdin+0), 0x30), 0xa)"
has out "main:11 1 or1(or1(or1(ult1(sub8(input(stdin+4), 0x30), 0xa)"
has out "0 ult1(sub8(input(stdin+2), 0x30), 0xa)" # atoi, behind the 0
status 0 "$PF" record --symbolic --input stdin -o k.clip -- ./lines </dev/null
: >empty
status 0 "$PF" record --symbolic --input stdin -o k.clip -- ./lines <empty
python3 show.py k.clip >out
has out "ult1(length(stdin), 0x40)"

# C++: lines and words of streams, numbers, and comparisons of strings.
"$PF" c++ $way -O1 -g "$ROOT/test/shell/part/symbolic_cxx.cpp" -o cxx
printf 'start 12\nstop x\ngo\n' >in.txt
printf 'value;rest' >in.dat
status 0 "$PF" record --symbolic --input stdin,file:in.dat -o h.clip -- ./cxx in.dat <in.txt
python3 show.py h.clip >out
has out "eq1(number(stdin+6..8), 0x4d)"
has out "main:18 0 ult1(sub8(input(stdin+14), 0x30), 0xa)"
has out "select32(eq1(input(stdin+16), 0x67)"
has out "select32(eq1(input(file:in.dat+0), 0x74)"
has out "text stdin+0..5 stop"
hasnt out lost

# What is lost is counted: wide integers, variable arguments, floating point, musttail calls.
for level in O0 O2; do
    "$PF" cc $way -$level "$ROOT/test/shell/part/symbolic_losses.c" -o losses
    status 0 "$PF" record --symbolic -o e.clip -- ./losses 12 </dev/null
    python3 show.py e.clip >out
    has out "integer of more than 64 bits"
    has out "operation without a model"
    has out "floating-point operation"
    has out "result of a musttail call"
    # the program returns by musttail calls in every mode
    status 4 "$PF" record -o e.clip -- ./losses 4
    status 4 "$PF" run -- ./losses 4
    status 4 ./losses 4
done

# The patch reaches the other branch; the command line stays as it is.
printf '# a comment\nargv[1]=3432\nenv:MODE=736c6f77\nstdin=6b65793d390a\n' >patch
status 3 env MODE=fast "$PF" record --symbolic --patch patch -o b.clip -- ./input 17 secret
status 3 "$PF" record --patch patch -o c.clip -- ./ordinary 17 secret
status 3 "$PF" replay --quiet c.clip

status 2 "$PF" record --symbolic -o x.clip -- ./ordinary 1
has err "./ordinary: has no symbolic code; build it with pf cc --symbolic or pf c++ --symbolic"
status 2 "$PF" record --symbolic --input=argv[5] -o x.clip -- ./input 1 2
has err "--input=argv[5]: the program has 2 arguments"
status 2 "$PF" record --symbolic --input=env:NO_SUCH_VARIABLE -o x.clip -- ./input 1
has err "there is no variable NO_SUCH_VARIABLE"
status 2 "$PF" record --symbolic --input=file:missing.txt -o x.clip -- ./input 1
has err "missing.txt: No such file or directory"
status 2 "$PF" record --symbolic --input=keyboard -o x.clip -- ./input 1
has err "--input=keyboard: expected argv, argv[N], stdin"
status 2 "$PF" record --input=argv -o x.clip -- ./input 1
has err "--input needs --symbolic"
printf 'argv[1]=3\n' >patch
status 2 "$PF" record --patch patch -o x.clip -- ./input 1
has err "patch:1: expected SOURCE=HEX"
printf 'argv[9]=33\n' >patch
status 2 "$PF" record --patch patch -o x.clip -- ./input 1
has err "argv[9]: cannot be patched"

# A loop whose array has no labels before it, and gets one from another thread while it runs.
"$PF" cc $way -O1 -g "$ROOT/test/shell/part/symbolic_loop.c" -o loop -pthread
seen=0
for policy in rr:50 rr:100 rr:500 rr:1000 random:1 random:2 random:3; do
    "$PF" record --symbolic --schedule=$policy -o k.clip -- ./loop 7 >text
    python3 show.py k.clip >out
    if grep -q seen text; then
        has out "main:39 0 eq1("
        seen=$((seen + 1))
    else
        hasnt out main:39
    fi
done
[ $seen -gt 2 ]
