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
