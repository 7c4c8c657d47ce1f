# The values of the environment that a recording contains: those that the program read, however it
# reads them. A replay does not depend on the environment of the caller.
cp "$ROOT/test/shell/part/environment_reads.c" reads.c
cp "$ROOT/test/shell/part/environment_flip.c" flip.c
"$PF" cc -g -O1 reads.c -o reads
"${CC:-cc}" reads.c -o bare -pthread
export USED=used-value OTHER=other-private-value

# contains CLIP VALUE: is the value of a variable in the clip? A second reader looks into the file.
contains() {
    python3 - "$ROOT" "$1" "$2" <<'EOF'
import sys
sys.path.insert(0, sys.argv[1] + "/test/oracle")
import clip
c, value = clip.read(sys.argv[2]), sys.argv[3].encode()
stored = [field for _, field in c.meta] + [c.streams[clip.ENVIRONMENT]]
sys.exit(0 if any(value in s for s in stored) else 1)
EOF
}

for program in reads bare; do
    for how in getenv envp copy write writev; do
        status 0 "$PF" record -o x.clip -- ./$program $how
        cp out first
        [[ $how == writev ]] || hasnt err environment
        [[ $(stat -c %a x.clip) == 600 ]] || fail "$how: others may read the clip"
        contains x.clip used-value || fail "$how: the value that was read is missing"
        [[ $how == writev ]] || ! contains x.clip other-private-value ||
            fail "$how: a value that was not read is in the clip"
        USED=x OTHER='' status 0 "$PF" replay x.clip
        cmp out first
        status 0 "$PF" replay --watch --trace t.clip x.clip
        rm -f t.clip
    done
    # Names are not private, and looking at a name does not read the value.
    status 0 "$PF" record -o x.clip -- ./$program names
    ! contains x.clip used-value || fail "names: a value is in the clip"
    "$PF" dump --about x.clip > about
    grep -qx "environment-name USED" about || fail "names: USED is not listed"
    status 0 "$PF" replay x.clip
    # The program reads all, or passes all on.
    for how in all system fork exec; do
        status 0 "$PF" record -o x.clip -- ./$program $how
        [[ $(grep -c "contains all of it" err) == 1 ]] || fail "$how: no warning: $(cat err)"
        contains x.clip other-private-value || fail "$how: a value is missing"
        status 0 "$PF" record --redact='OTHER,NO*' -o x.clip -- ./$program $how
        ! contains x.clip other-private-value || fail "$how: --redact has no effect"
        [[ $how == all ]] || status 0 "$PF" replay x.clip # it prints the value
    done
done

# --keep-env, and --redact of a variable that is read.
status 0 "$PF" record --keep-env -o x.clip -- ./reads names
contains x.clip other-private-value || fail "--keep-env: a value is missing"
status 0 "$PF" record --redact USED -o x.clip -- ./reads getenv
has out used-value
has err "read USED, left out by --redact; a replay may differ"
status 2 "$PF" replay x.clip
has err "read USED, left out of the recording by --redact"

# The variables of the loader and of libc are needed before anything can be observed.
TZ=Asia/Tokyo status 0 "$PF" record -o x.clip -- ./reads names
contains x.clip Asia/Tokyo || fail "TZ is missing"

# Schedules of pf hatch may read more than the recording. The values come from the environment of
# the caller; without them, the run is not evidence.
"$PF" cc -g -O0 flip.c -o flip
status 0 "$PF" record -o f.clip -- ./flip
! contains f.clip other-private-value || fail "OTHER is in the clip"
status 66 "$PF" hatch -o tried f.clip
has out "1 real"
# The recording itself shows the race; a file of candidates makes pf hatch look at the tries alone.
status 66 "$PF" predict --json f.json f.clip
OTHER=no status 0 "$PF" hatch -o other f.json
has out "unknown: "
has out "use of the environment variable OTHER: expected none (its value is not in the clip), found a read"
for c in tried/*.clip; do
    [[ $(stat -c %a "$c") == 600 ]] || fail "others may read the clip of pf hatch"
    OTHER=no status 0 "$PF" replay "$c"
done
# So do the clips of pf explore: each has what its own schedule read.
"$PF" explore -o explored -- ./flip > out || true
has out "first seen in schedule"
for c in explored/*.clip; do
    OTHER=no status 0 "$PF" replay "$c"
done
status 66 "$PF" check --runs 1 --quiet --redact OTHER -- ./flip
for c in .photofinish/check/*/clips/*.clip; do
    ! contains "$c" other-private-value || fail "pf check ignores --redact"
done

# Logs obey the umask.
(umask 077 && status 66 "$PF" run --log private -- ./flip)
(umask 022 && status 66 "$PF" run --log public -- ./flip)
[[ $(stat -c %a private/*) == 600 && $(stat -c %a public/*) == 644 ]] || fail "logs ignore the umask"
