// Figure 14 a: two threads that end free the same table.
// judge: table spec-violated
// evidence: table freed
#include <pthread.h>
#include <stdlib.h>

char *volatile table;

static void *leave(void *unused)
{
    (void)unused;
    if (table) {
        free(table);
        table = NULL;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    table = malloc(100);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, leave, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
