// The unlocked functions of stdio, through a pipe; the optimizer inlines some of them.
// want: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int unbuffered, flushed, fds[2];
static void *work(void *arg)
{
    FILE *f = fdopen(fds[1], "w");
    setvbuf(f, NULL, _IONBF, 0);
    unbuffered = 1;
    putc_unlocked('a', f);
    fputc_unlocked('b', f);
    setvbuf(f, NULL, _IOFBF, 100);
    putc_unlocked('c', f);
    flushed = 1;
    fflush_unlocked(f);
    return f;
}
int main(void)
{
    pthread_t t;
    void *out;
    assert(pipe(fds) == 0);
    FILE *in = fdopen(fds[0], "r");
    setvbuf(in, NULL, _IONBF, 0);
    pthread_create(&t, NULL, work, NULL);
    assert(getc_unlocked(in) == 'a');
    unbuffered++;
    assert(fgetc_unlocked(in) == 'b' && getc_unlocked(in) == 'c');
    flushed++;
    pthread_join(t, &out);
    fclose(out);
    fclose(in);
    return unbuffered + flushed != 4;
}
