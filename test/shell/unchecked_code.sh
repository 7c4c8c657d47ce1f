# Code without checks is reported: object files and libraries that another compiler has built.
for f in main.c other.c full.cpp; do
    cp "$ROOT/test/shell/part/unchecked_code_$f" $f
done
warning="code without checks, whose races are missed: "
unchecked() { python3 - "$1" <<'EOF'
import json, os, sys
for o in json.load(open(sys.argv[1]))["objects"]:
    print(os.path.basename(o["path"]), o["checks"], o["unchecked"], ",".join(sorted(o["names"])))
EOF
}

for level in -O0 -O2; do
    # Everything is built with pf cc: no message, also not about code that the compiler generates.
    "$PF" cc -g $level main.c other.c -o whole
    "$PF" c++ -g $level -std=c++17 full.cpp -o full
    "$PF" cc -g $level -shared -fPIC other.c -o checked.so
    status 0 "$PF" run --require-full --json run.json -- ./whole "$PWD/checked.so"
    hasnt err "without checks"
    [[ $(unchecked run.json | sort) == $'checked.so all 0 \nwhole all 0 ' ]] || fail "$level: $(unchecked run.json)"
    status 0 "$PF" run --require-full -- ./full
    hasnt err "without checks"
    # An object file of another compiler.
    clang-19 -c $level other.c -o other.o
    "$PF" cc -g $level main.c other.o -o part
    status 0 "$PF" run --json run.json -- ./part
    has err "pf run: $warning"
    has err "/part (2 of 6 functions, "
    [[ $(unchecked run.json) == "part some 2 helper,other" ]] || fail "$level: $(unchecked run.json)"
    status 0 "$PF" run --quiet -- ./part
    hasnt err "without checks"
    status 2 "$PF" run --require-full -- ./part
    has err "pf run: --require-full: code without checks: $PWD/part (2 of 6 functions"
    # A plugin that is unloaded before the end.
    clang-19 $level -shared -fPIC other.c -o foreign.so
    status 0 "$PF" run --json run.json -- ./whole "$PWD/foreign.so"
    has err "/foreign.so (all)"
    hasnt err "/whole"
    status 2 "$PF" run --require-full -- ./whole "$PWD/foreign.so"
done

# Libraries of the system are not listed.
hasnt run.json "libc.so"
# A program without symbols: which functions have checks is unknown.
cp whole stripped
strip stripped
status 2 "$PF" run --require-full -- ./stripped
has err "/stripped (unknown: it has no symbols)"

status 0 "$PF" check --runs 1 --json check.json -- ./part
has out "$warning$PWD/part (2 of 6 functions"
[[ $(unchecked check.json) == "part some 2 helper,other" ]] || fail "check: $(unchecked check.json)"
status 2 "$PF" check --runs 1 --quiet --require-full -- ./part
has err "pf check: --require-full: code without checks: $PWD/part"
status 0 "$PF" check --runs 1 --require-full -- ./whole
hasnt out "without checks"
