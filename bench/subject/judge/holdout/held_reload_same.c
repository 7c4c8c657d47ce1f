// A configuration that is loaded again, unchanged, while it is used.
// race: depth load use k-witness-harmless: the value that is written is there already
// race: width load use k-witness-harmless: as depth
// args: 6 7
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int depth, width;
static char **words;

static void load(void)
{
    depth = atoi(words[1]);
    width = atoi(words[2]);
}

static int use(void) { return depth * width; }

static void *reload(void *unused)
{
    load();
    return unused;
}

static void *work(void *to)
{
    *(int *)to = use();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    int area;
    if (argc < 3)
        return 2;
    words = argv;
    load();
    pthread_create(&a, NULL, reload, NULL);
    pthread_create(&b, NULL, work, &area);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", area);
    return 0;
}
