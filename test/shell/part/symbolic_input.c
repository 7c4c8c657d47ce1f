// The program of ../symbolic.sh: branches on arguments, the environment, standard input and a file.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int shared, found;

static void *worker(void *unused)
{
    if (shared == 42)
        found = 1;
    return unused;
}

static int value_in(FILE *f)
{
    char line[64];
    if (!f || !fgets(line, sizeof line, f) || strncmp(line, "key=", 4))
        return 0;
    return line[4] > '8';
}

int main(int argc, char **argv)
{
    pthread_t t;
    const char *mode = getenv("MODE");
    if (argc < 2)
        return 9;
    shared = atoi(argv[1]);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    if (argc > 2 && argv[2][0] == 's' && mode && mode[0] == 's')
        found++;
    if (value_in(stdin))
        found++;
    if (argc > 3)
        found += value_in(fopen(argv[3], "r"));
    return found;
}
