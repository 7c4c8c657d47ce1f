# A target that limits itself: the runtime's own files must not end it, and what could not be
# written makes the result incomplete.
cat >limit.c <<'END'
#define _GNU_SOURCE
#include "order.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
int x;
static void *run(void *arg)
{
    order_point(0); /* begun before the limit is set */
    x = 1;
    order_point(1);
    return arg;
}
int main(int argc, char **argv)
{
    (void)argc;
    pthread_t t;
    struct rlimit r;
    pthread_create(&t, NULL, run, NULL);
    order_wait(1);
    int which = !strcmp(argv[1], "fsize") ? RLIMIT_FSIZE
                : !strcmp(argv[1], "as")  ? RLIMIT_AS
                                          : RLIMIT_NOFILE;
    getrlimit(which, &r);
    r.rlim_cur = (rlim_t)atol(argv[2]);
    if (setrlimit(which, &r))
        return 3;
    order_wait(2);
    x = 2;
    pthread_join(t, NULL);
    puts("done");
    return 0;
}
END
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
    fsize*) has out "incomplete" ;;
    as*) has out.json '"race"' ;;
    esac
done
# A report file that cannot grow.
export PF_OPTIONS=log_path=$PWD/report
{ "$PF" run -- ./limit fsize 0 2>&1 || true; } | cat >out
has out "done"
