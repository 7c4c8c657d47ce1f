# A kernel without syscall user dispatch: a seccomp filter replaces it. Here another filter hides
# the dispatch.
cat >without.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 59, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
        return 77;
    execv(argv[1], argv + 1);
    return 77;
}
END
clang-19 without.c -o without
./without /bin/true || { echo "skipped: no seccomp here"; exit 77; }
cat >turns.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn, fds[2];
static void *f(void *a)
{
    long me = (long)a;
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        while (turn % 3 != me)
            pthread_cond_wait(&c, &m);
        turn++;
        printf("thread %ld\n", me);
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
        usleep(1000);
    }
    if (me == 0 && write(fds[1], "x", 1) != 1)
        return a;
    return NULL;
}
int main(void)
{
    pthread_t t[3];
    char got = 0;
    if (pipe(fds))
        return 1;
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, f, (void *)i);
    if (read(fds[0], &got, 1) != 1)
        return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%c %ld.%09ld\n", got, (long)now.tv_sec, now.tv_nsec);
    return 5;
}
END
cat >forks.c <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int p[2], s = 0;
    char b[4] = {0};
    if (pipe(p))
        return 1;
    pid_t k = fork();
    if (!k) {
        if (write(p[1], "ok", 2) != 2)
            _exit(1);
        _exit(3);
    }
    if (read(p[0], b, 2) != 2 || waitpid(k, &s, 0) != k)
        return 2;
    printf("%s %d\n", b, WEXITSTATUS(s));
    return 0;
}
END
"$PF" cc -g -O1 turns.c -o turns
clang-19 -g -O1 turns.c -o bare
"$PF" cc -g -O1 forks.c -o forks

for program in turns bare; do
    for schedule in random:1 pct:2,3; do
        status 5 ./without "$PF" record -o turns.clip --schedule=$schedule -- ./$program
        has out "thread 2"
        mv out recorded
        status 5 ./without "$PF" replay turns.clip
        cmp out recorded
        status 5 "$PF" replay turns.clip # also with dispatch
        cmp out recorded
    done
done

# Children keep the filter and are not directed.
status 0 ./without "$PF" record -o forks.clip -- ./forks
has out "ok 3"
status 0 ./without "$PF" replay forks.clip
has out "ok 3"
