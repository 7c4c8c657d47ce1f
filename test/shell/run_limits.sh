# A target that limits itself: the limit must not apply to the runtime's own files, and the result
# is complete.
cp "$ROOT/test/shell/part/run_limits_limit.c" limit.c
status 0 "$PF" cc -g -O1 -I"$ROOT/test/program" -o limit limit.c -pthread
# The output is a pipe here: a limit of file sizes applies to files only.
for limit in "fsize 0" "fsize 300" "nofile 3" "nofile 0" "as 0"; do
    for policy in full atexrace; do
        got=0
        # shellcheck disable=SC2086
        { "$PF" run --sample=$policy --state state --json out.json -- ./limit $limit 2>&1 || got=$?
            echo "status $got"; } | cat >out
        has out "done"
        has out "status 66"
        has out "data race"
    done
    case $limit in
    fsize* | as*) has out.json '"race"' && has out.json '"complete":true' ;;
    esac
done
# A report file that cannot grow.
export PF_OPTIONS=log_path=$PWD/report
{ "$PF" run -- ./limit fsize 0 2>&1 || true; } | cat >out
has out "done"
unset PF_OPTIONS

# Limits that pf and the target inherit. Without a limit of the stack, mappings would be where the
# shadow memory is.
if [[ $(ulimit -Hs) == unlimited ]]; then
    (
        ulimit -s unlimited
        status 66 "$PF" run -- ./limit fsize 1000
    )
    has err "data race"
fi
(
    ulimit -n 8
    status 2 "$PF" record -o few.clip -- ./limit fsize 1000
)
has err "is there a limit on open files, ulimit -n?"
