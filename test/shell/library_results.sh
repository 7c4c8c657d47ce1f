# shellcheck shell=bash disable=SC2154
# --watch: what library functions store through a pointer is checked against the bounds of its
# object, also of an int. The same calls with an object that is large enough are no errors.

cp "$ROOT/test/shell/part/library_results_results.c" results.c
declare -A objects=(
    [s]='int s[1] = {0}' ["&s"]='int s = 0' [h]='int *h = calloc(1, 4)')
for level in -O0 -O2; do
    for object in "${!objects[@]}"; do
        sed "s/OBJECT;/${objects[$object]};/; s/SMALL;/char *q = malloc(2);/" results.c >small.c
        "$PF" cc -w -g $level "-DP=($object)" small.c -o small
        for call in join timedjoin read recv scanf fgets getline time strtol pipe thrd_join; do
            echo 1234567890 | "$PF" record --watch -o r.clip -- ./small $call >out 2>err && s=0 || s=$?
            [[ $s == 66 ]] || fail "$level: $call into a small object ($object): status $s"
        done
    done
    sed "s/OBJECT;/long s = 0;/; s/SMALL;/int *q = malloc(4);/" results.c >large.c
    "$PF" cc -w -g $level "-DP=(&s)" large.c -o large
    for call in join timedjoin read recv scanf fgets getline time strtol pipe thrd_join; do
        echo 1234567890 | "$PF" record --watch -o r.clip -- ./large $call >out 2>err && s=0 || s=$?
        [[ $s == 0 ]] || fail "$level: $call into a large object: status $s"
    done
done
