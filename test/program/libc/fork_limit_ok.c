// Forks while another thread sets a limit: no child hangs on the lock of the limits.
// want: none
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int order[2], begun[2];

static void *limit(void *arg)
{
    struct rlimit l;
    char c;
    if (getrlimit(RLIMIT_DATA, &l))
        abort();
    while (read(order[0], &c, 1) == 1) {
        if (write(begun[1], &c, 1) != 1)
            abort();
        for (int i = 0; i < 20; i++)
            if (setrlimit(RLIMIT_DATA, &l))
                abort();
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    int bad = 0;
    char c = 0;
    if (pipe(order) || pipe(begun))
        return 1;
    pthread_create(&t, NULL, limit, NULL);
    for (int i = 0; i < 20; i++) {
        if (write(order[1], &c, 1) != 1 || read(begun[0], &c, 1) != 1)
            return 1;
        pid_t child = fork();
        if (child == 0) {
            struct rlimit l;
            _exit(getrlimit(RLIMIT_DATA, &l) != 0);
        }
        int status;
        if (waitpid(child, &status, 0) != child || status)
            bad++;
    }
    close(order[1]);
    pthread_join(t, NULL);
    return bad;
}
