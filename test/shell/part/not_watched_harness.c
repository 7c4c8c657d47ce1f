#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int x;
static void *w(void *arg)
{
    x++;
    return arg;
}
static void test(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    x++;
    pthread_join(t, 0);
}
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 2 && setrlimit(RLIMIT_NOFILE, &(struct rlimit){100, 100}))
        return 1;
    for (int i = 0; argc > 1 && i < 3; i++) {
        if (!fork()) {
            test();
            exit(0);
        }
        wait(0);
    }
    if (!fork()) { /* not a child that runs this program */
        execl("/bin/true", "true", (char *)0);
        _exit(1);
    }
    wait(0);
    return system("true");
}
