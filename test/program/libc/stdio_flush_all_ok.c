// fflush(NULL) writes the data of all streams.
// want: none
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int shared, fds[2];
static void *work(void *arg)
{
    FILE *f = fdopen(fds[1], "w");
    fputs("x", f);
    shared = 1;
    fflush(NULL);
    return f;
}
int main(void)
{
    pthread_t t;
    void *f;
    char c;
    assert(pipe(fds) == 0);
    pthread_create(&t, NULL, work, NULL);
    assert(read(fds[0], &c, 1) == 1);
    shared++;
    pthread_join(t, &f);
    fclose(f);
    return shared != 2;
}
