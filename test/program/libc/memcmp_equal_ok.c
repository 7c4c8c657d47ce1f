// As memcmp_equal_racy.c, with a lock.
// want: none
#include "turns.h"
#include <string.h>

int shared, other;
static int equal;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
void first(void)
{
    pthread_mutex_lock(&guard);
    shared = 1;
    pthread_mutex_unlock(&guard);
}
void second(void)
{
    pthread_mutex_lock(&guard);
    equal = memcmp(&shared, &other, sizeof shared) == 0;
    pthread_mutex_unlock(&guard);
}
int after(void) { return equal; }
