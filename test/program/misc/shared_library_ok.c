// The same library, used by one thread after the other.
// want: none
// shared: libplug.so part/plug.c
// libs: -lplug
#include <pthread.h>

extern int plug_shared;
void plug_set(int v);

static void *worker(void *arg)
{
    plug_set(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    plug_set(plug_shared + 1);
    return plug_shared != 2;
}
