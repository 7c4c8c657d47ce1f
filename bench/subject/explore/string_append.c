/* String buffer: append reads the length of the other buffer and copies its bytes in two
 * critical sections. It fails if the other buffer is shortened in between. */
// fails: assertion
#include "explore.h"

static pthread_mutex_t lock = MUTEX;
static char text[8] = "abcdef";
static int length = 6;

static int get_length(void)
{
    LOCK(&lock);
    int n = length;
    UNLOCK(&lock);
    return n;
}

static void *append(void *p)
{
    char copy[8];
    int n = get_length();
    LOCK(&lock);
    assert(n <= length);
    for (int i = 0; i < n; i++)
        copy[i] = text[i];
    UNLOCK(&lock);
    return copy[0] ? p : NULL;
}

static void *erase(void *p)
{
    LOCK(&lock);
    length = 0;
    UNLOCK(&lock);
    return p;
}

int main(void)
{
    start(append, 0);
    start(erase, 0);
    join_all();
    return 0;
}
