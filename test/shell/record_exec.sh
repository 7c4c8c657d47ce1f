# A recorded program starts or executes other programs: pf alone reports what is not recorded.
cat >becomes.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[3];
    if (argc == 1)
        return puts("started") < 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    work(NULL);
    if (system(argv[0]))
        return 1;
    execl("/nowhere", "nowhere", NULL);
    puts("still here");
    fflush(stdout);
    execlp("sh", "sh", "-c", "echo other; exit 3", NULL);
    return 1;
}
C
"$PF" cc -O1 -g -pthread becomes.c -o becomes

for schedule in random:1 rr:10 pos:3; do
    status 3 "$PF" record --schedule=$schedule -o becomes.clip -- ./becomes all
    has out "started"
    has out "other"
    has err "pf record: the program started other processes (1), which are not recorded"
    has err "pf record: the recording ends where the program executed another program"
    hasnt err "photofinish:"
    status 3 "$PF" replay becomes.clip
    has out "still here"
    hasnt out "other"
    has err "pf replay: the recording ends here, where the program executed another program"
done

# A script, which is not instrumented either.
status 0 "$PF" record -o script.clip -- sh -c 'exec ./becomes'
has out "started"
has err "the recording ends where the program executed another program"
status 0 "$PF" replay script.clip
hasnt out "started"
