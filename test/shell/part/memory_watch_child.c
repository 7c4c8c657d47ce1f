#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static size_t use(size_t size)
{
    char *p = malloc(size);
    memset(p, 'x', size);
    p[size - 1] = 0;
    size_t n = strlen(p) + (size_t)strcmp(p, p);
    free(p);
    return n;
}
int main(void)
{
    size_t n = 0;
    int status;
    for (int i = 0; i < 4000; i++)
        n += use(i % 50 + 1);
    if (fork() == 0) {
        for (int i = 0; i < 2000; i++)
            n += use(i * 7 % 120 + 1);
        _exit(n == 0);
    }
    wait(&status);
    return status != 0 || n == 0;
}
