# shellcheck shell=bash disable=SC2154
# Programs that were built without pf cc, in directed mode: the runtime is preloaded; events are
# synchronisation and libc calls only.

cp "$ROOT/test/shell/part/record_bare_sum.cpp" sum.cc
clang++-19 -O1 -g sum.cc -o sum -pthread
! command -v g++ >/dev/null || g++ -O1 -g sum.cc -o sum -pthread
sums=()
for seed in 1 2 3; do
    status 3 "$PF" record -o s.clip --schedule=random:$seed -- ./sum
    [[ ! -s err ]] || fail "unexpected message"
    has out " 2 none"
    cp out recorded
    sums+=("$(cat out)")
    status 3 "$PF" replay s.clip
    cmp out recorded
done
[[ ${sums[0]} != "${sums[1]}" || ${sums[1]} != "${sums[2]}" ]] || fail "three schedules had the same order"
# The user's own LD_PRELOAD is kept, and programs that the target starts are not affected.
LD_PRELOAD=libm.so.6 status 3 "$PF" record -o s.clip -- ./sum child
has out " 2 libm.so.6"
[[ $(grep -v "executed another program, perhaps" err) == "pf record: the program started other processes (1), which are not recorded" ]] || fail "unexpected message"
status 3 "$PF" replay s.clip
has out " 2 libm.so.6"
# --gdb works too.
status 0 "$PF" replay s.clip --gdb --until T1:20 -- -batch -ex 'thread apply all bt'
has out "at sum.cc:"
has out "Thread 5 ("

# Which analyses work on such a recording, and which do not.
status 0 "$PF" predict --json p.json s.clip
has err "not instrumented"
has p.json '"complete":false'
status 2 "$PF" run -- ./sum
has err "not instrumented"

# A Debian program.
for ((i = 0; i < 30000; i++)); do echo "line $((i * 7919 % 1000003))"; done >data
status 0 "$PF" record -o xz.clip --schedule=random:1 -- xz -T4 -0 --block-size=64KiB -c data
cp out recorded
xz -dc recorded | cmp - data
status 0 "$PF" replay xz.clip
cmp out recorded

# Unsupported programs are refused with a reason.
echo 'int main(void) { return 0; }' >empty.c
clang-19 empty.c -o empty
clang-19 -static empty.c -o static
status 2 "$PF" record -- ./static
has err "./static: statically linked"
cp empty raised
chmod u+s raised
status 2 "$PF" record -- ./raised
has err "./raised: runs with the privileges of another user"
printf '#!/bin/sh\n' >script
chmod +x script
status 2 "$PF" record -- ./script
has err "./script: is a script"
python3 - <<'EOF'
import os
b = open("empty", "rb").read()
open("arm", "wb").write(b[:18] + b"\xb7\0" + b[20:])
open("other", "wb").write(b.replace(b"ld-linux-x86-64.so.2", b"ld-musl-x86_64.so.1\0"))
open("half", "wb").write(b[:40])
for name in ("arm", "other", "half"):
    os.chmod(name, 0o755)
EOF
status 2 "$PF" record -- ./arm
has err "./arm: not a program for x86-64"
status 2 "$PF" record -- ./other
has err "./other: not linked with glibc (its dynamic linker is /lib64/ld-musl-x86_64.so.1)"
status 2 "$PF" record -- ./half
has err "./half: not an ELF program"

# An executable at a fixed address that takes malloc's address: its PLT stub is malloc's address for
# all modules, and calls still reach the interposed malloc. Reused memory is not a memory error.
cp "$ROOT/test/shell/part/record_bare_fixed.c" fixed.c
clang-19 -O1 -fno-builtin -fno-pie -no-pie fixed.c -o fixed
status 0 "$PF" record -o fixed.clip -- ./fixed
has out "308100"
hasnt err "heap block"
