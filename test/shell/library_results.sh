# shellcheck shell=bash disable=SC2154
# --watch: what library functions store through a pointer is checked against the bounds of its
# object, also of an int. The same calls with an object that is large enough are no errors.

cat >results.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
static pthread_t t;
static thrd_t u;
static int fds[2], sockets[2];
static void *f(void *arg) { return arg; }
static int g(void *arg) { return arg != 0; }
static void prepare(void)
{
    if (pipe(fds) || write(fds[1], "0123456789", 10) != 10 ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) || write(sockets[0], "0123456789", 10) != 10)
        abort();
    pthread_create(&t, 0, f, 0);
    thrd_create(&u, g, 0);
}
#define CALLS(C) \
    C(join, pthread_join(t, (void **)P)) \
    C(timedjoin, pthread_timedjoin_np(t, (void **)P, &(struct timespec){4000000000, 0})) \
    C(read, read(fds[0], P, sizeof(long))) \
    C(recv, recv(sockets[1], P, sizeof(long), 0)) \
    C(scanf, sscanf("12", "%ld", (long *)P)) \
    C(fgets, fgets((char *)P, sizeof(long), stdin) != 0) \
    C(getline, getline(&line, (size_t *)P, stdin)) \
    C(time, time((time_t *)P)) \
    C(strtol, strtol(digits, (char **)P, 10)) \
    C(pipe, pipe((int *)P))
static char *line;
char digits[] = "12";
int main(int argc, char **argv)
{
    (void)argc;
    prepare();
#define TRY(name, call) \
    if (!strcmp(argv[1], #name)) { \
        OBJECT; \
        return (long)(call) < 0; \
    }
    CALLS(TRY)
    if (!strcmp(argv[1], "thrd_join")) {
        SMALL;
        return thrd_join(u, (int *)q) != thrd_success;
    }
    return 99;
}
C
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
