# shellcheck shell=bash disable=SC2154
# Threads with small stacks, and limits that the program sets for itself, do not disturb a recording.

cp "$ROOT/test/shell/part/target_limits_limits.c" limits.c
for level in -O0 -O2; do
    "$PF" cc -g $level limits.c -o limits
    # file size, address space, data, descriptors
    for limit in "0 100" "1 150000000" "2 30000000" "3 3"; do
        for options in "" --watch --trace "--watch --log logs"; do
            error='' want=5
            [[ $options ]] && error=error want=66
            # shellcheck disable=SC2086
            status $want "$PF" record $options -o l.clip -- ./limits $limit $error
            [[ $(cat out) == "1 1 1" ]] || fail "$limit $options: expected 1 1 1"
            status $want "$PF" replay l.clip
            [[ $(cat out) == "1 1 1" ]] || fail "$limit $options: expected 1 1 1 in the replay"
        done
        status 0 "$PF" dump -o events.txt l.clip
    done
done
