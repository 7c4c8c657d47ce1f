/* Records of four bytes: a kind, two bytes, and their sum as a check. The kind is the value of a
 * switch, and the seed has its first case. */
// hex: record.bin=41 05 07 4d
// args: record.bin
// runs: 30
// race: FIRST SECOND
#include "hunt.h"

static unsigned char record[4];
static volatile int shared;

static void *first(void *arg)
{
    switch (record[0]) {
    case 'A':
        return NULL;
    case 'K':
        return arg;
    case 'R':
        GUARD();
        shared = record[1]; /* FIRST */
        UNGUARD();
        return arg;
    default:
        return NULL;
    }
}

/* Its argument depends on the input. */
static void *second(void *big)
{
    if (big) {
        GUARD();
        printf("%d\n", shared); /* SECOND */
        UNGUARD();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!f || fread(record, 4, 1, f) != 1)
        return 1;
    fclose(f);
    if ((unsigned char)(record[0] + record[1] + record[2]) != record[3]) {
        fprintf(stderr, "wrong check\n");
        return 1;
    }
    pthread_t a, b;
    pthread_create(&a, NULL, first, record);
    pthread_create(&b, NULL, second, record[1] > 200 ? record : NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
