// The lines of the two threads come in any order, which is not the fault of the race on `last`.
// judge: last k-witness-harmless
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int last;

static void *print(void *name)
{
    last = 1;
    for (int i = 0; i < 3; i++) {
        char line[32];
        int n = snprintf(line, sizeof line, "%s %d\n", (char *)name, i);
        if (write(1, line, (size_t)n) != n)
            return NULL;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    char *names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, print, names[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
