# Daemons, forked and exec'd children: each process writes its own findings, and pf run collects all
# of them.
cat >child.c <<'END'
#include "order.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int in_parent, in_child, in_exec;
static void *write_parent(void *p) { in_parent = 1; order_arrive(); return p; }
static void *write_child(void *p) { in_child = 1; order_arrive(); return p; }
static void *write_exec(void *p) { in_exec = 1; order_arrive(); return p; }
static void race(void *(*f)(void *))
{
    pthread_t a, b;
    int before = order_turn;
    pthread_create(&a, NULL, f, NULL);
    order_wait(before + 1);
    pthread_create(&b, NULL, f, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
int main(int argc, char **argv)
{
    if (argc > 1) {
        race(write_exec);
        puts("execed");
        return 0;
    }
    race(write_parent);
    pid_t p = fork();
    if (p == 0) {
        race(write_child);
        pid_t q = fork();
        if (q == 0)
            execl(argv[0], argv[0], "again", (char *)NULL);
        waitpid(q, NULL, 0);
        return 0;
    }
    waitpid(p, NULL, 0);
    puts("parent");
    return 0;
}
END
status 0 "$PF" cc -O1 -g -pthread "-I$ROOT/test/program" -o child child.c
mkdir logs
status 66 "$PF" run --json found.json --log logs -- ./child
has out parent
has out execed
for v in in_parent in_child in_exec; do
    has found.json "\"$v\""
done
[[ $(find logs -type f | wc -l) -ge 3 ]] || fail "fewer than three logs in $(ls logs)"

# A daemon that outlives its parent is harmless.
cat >daemon.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    if (daemon(1, 1))
        return 1;
    FILE *f = fopen("daemon.done", "w");
    fclose(f);
    return 0;
}
END
status 0 "$PF" cc -o daemon daemon.c
status 0 "$PF" run -- ./daemon
for _ in $(seq 1200); do
    [[ -f daemon.done ]] && break
    sleep 0.05
done
[[ -f daemon.done ]] || fail "the daemon did not finish"

# A program that is killed: its findings until then are kept, and the status is that of the shell.
cat >killed.c <<'END'
#include "order.h"
#include <pthread.h>
#include <signal.h>
int shared;
static void *write_it(void *p) { shared = 1; order_arrive(); return p; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, write_it, NULL);
    order_wait(1);
    pthread_create(&b, NULL, write_it, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    raise(SIGKILL);
    return 0;
}
END
status 0 "$PF" cc -g -pthread "-I$ROOT/test/program" -o killed killed.c
status 66 "$PF" run --json killed.json -- ./killed
has killed.json '"shared"'
has killed.json '"complete":false'
sed -i 's/shared = 1;//' killed.c
status 0 "$PF" cc -g -pthread "-I$ROOT/test/program" -o killed killed.c
status 137 "$PF" run -- ./killed

# Programs that were not built with pf cc are refused.
status 2 "$PF" run -- /bin/true
has err "pf cc"
status 2 "$PF" run -- ./does-not-exist
has err "does-not-exist"
