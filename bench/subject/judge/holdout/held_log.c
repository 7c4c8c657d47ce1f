// A log in memory to which two threads append without a lock. It is printed at the end.
// race: length append append output-differs: both append at the same position, and a part is lost
// race: text append append output-differs: two threads write the same bytes
#include <pthread.h>
#include <stdio.h>

static volatile char text[64];
static volatile int length;

static void append(const char *word)
{
    int at = length;
    for (; *word; word++)
        text[at++] = *word;
    length = at;
}

static void *work(void *word)
{
    append(word);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, "alpha ");
    pthread_create(&b, NULL, work, "beta ");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < length; i++)
        putchar(text[i]);
    putchar('\n');
    return 0;
}
