# shellcheck shell=bash disable=SC2154
# pf record is killed: its program ends too, and everything recorded until then is kept and replays.

cat >ask.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static long n;
static void *f(void *a)
{
    for (int i = 0; i < 20000; i++)
        __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    char c;
    (void)argv;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    printf("counted %ld\n", n);
    fflush(stdout);
    printf("counted that\n"); /* so that the line before is in the recording once this one is visible */
    fflush(stdout);
    if (argc == 1)
        while (read(0, &c, 1) == 1)
            ;
    for (volatile int go = 1; argc == 2 && go;) { /* not many events, however late it is killed */
        __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
        for (volatile int rest = 5000; rest; rest--)
            ;
    }
    for (volatile int go = 1; go;) /* no event */
        ;
    printf("not to be seen\n");
    return 0;
}
C
"$PF" cc -O1 -g ask.c -o ask
mkfifo in

# Killed while the program waits for input, runs, and runs without reaching an event. The program
# holds the read end of the pipe: it has ended when a write to the pipe fails.
killed() { # ARGUMENT-OF-PF... -- ARGUMENT-OF-THE-PROGRAM...
    local options=() pf
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    rm -f k.clip said
    (exec "$PF" record -o k.clip "${options[@]}" -- ./ask "${@:2}" <in >said 2>&1) &
    pf=$!
    exec 9>in
    until grep -q 'counted that' said 2>/dev/null; do sleep 0.02; done
    kill -KILL $pf
    wait $pf 2>/dev/null || true
    for ((k = 0; k < 3000; k++)); do # up to a minute, if the machine is busy
        grep -q "photofinish: " said && break
        sleep 0.02
    done
    exec 9>&-
    has said "pf has ended: the program is ended too; its recording is saved up to here"
    hasnt said "not to be seen"
}
killed --
status 137 "$PF" replay k.clip
has err "is truncated"
has err "the recording ends here, before the program ended"
has out "counted 40000"
killed -- loop
status 137 "$PF" replay k.clip
has out "counted 40000"
killed -- no event
status 137 "$PF" replay k.clip
killed --trace -- loop
status 0 "$PF" dump -o k.txt k.clip
[[ $(grep -c ' rmw' k.txt) -ge 40000 ]] || fail "events were lost"

# A child's own output is not in a recording: a replay says so.
cat >child.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int s = system("echo from the child");
    printf("done %d\n", s);
    return 0;
}
C
"$PF" cc -O1 -g child.c -o child
status 0 "$PF" record -o c.clip -- ./child
has out "from the child"
status 0 "$PF" replay c.clip
has out "done 0"
hasnt out "from the child"
has err "started other processes (1), which are not replayed"
