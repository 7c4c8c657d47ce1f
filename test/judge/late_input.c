// Input that is read after the race: every run reads all of it, from where the recording was at the
// race. The racy value decides which line is printed.
// judge: wanted output-differs
// evidence: wanted standard input:
// evidence: wanted second
// input: first
// input: second
#include <pthread.h>
#include <stdio.h>

volatile int wanted;

static void *choose(void *line)
{
    wanted = (int)(long)line;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    char line[80];
    for (long i = 1; i <= 2; i++)
        pthread_create(&t[i - 1], NULL, choose, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 1; fgets(line, sizeof line, stdin); i++)
        if (i == wanted)
            fputs(line, stdout);
    return 0;
}
