// The last of two users of an object, determined by a count under its own mutex, destroys and
// frees it.
// want: none
#include <pthread.h>
#include <stdlib.h>

struct thing {
    pthread_mutex_t m;
    int users;
};

static void *user(void *arg)
{
    struct thing *t = arg;
    pthread_mutex_lock(&t->m);
    int left = --t->users;
    pthread_mutex_unlock(&t->m);
    if (left == 0) {
        pthread_mutex_destroy(&t->m);
        free(t);
    }
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 100; i++) {
        pthread_t s, t;
        struct thing *thing = calloc(1, sizeof *thing);
        pthread_mutex_init(&thing->m, NULL);
        thing->users = 2;
        pthread_create(&s, NULL, user, thing);
        pthread_create(&t, NULL, user, thing);
        pthread_join(s, NULL);
        pthread_join(t, NULL);
    }
    return 0;
}
