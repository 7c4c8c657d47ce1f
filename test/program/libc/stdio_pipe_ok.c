// Data through a pipe creates order, also when stdio reads and writes it.
// tsan: it does not see what stdio sends through a pipe
// want: none
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int shared, fds[2];

static void *work(void *arg)
{
    FILE *f = fdopen(fds[1], "w");
    shared = 1;
    fprintf(f, "%s\n", "go");
    fclose(f);
    return arg;
}

int main(void)
{
    pthread_t t;
    char line[8];
    if (pipe(fds))
        return 1;
    pthread_create(&t, NULL, work, NULL);
    FILE *f = fdopen(fds[0], "r");
    if (!fgets(line, sizeof line, f))
        return 1;
    shared++;
    pthread_join(t, NULL);
    fclose(f);
    return shared != 2;
}
