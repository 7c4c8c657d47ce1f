/* Loads the library, removes its file, and makes a race in it. */
#include "order.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *library;

static void *run(void *arg)
{
    void (*add)(long) = (void (*)(long))dlsym(library, "add");
    if (arg)
        order_point(1);
    add(1);
    if (!arg)
        order_point(0);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    library = dlopen(argv[argc - 1], RTLD_NOW);
    if (!library || unlink(argv[argc - 1]))
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, run, i ? t : 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    dlclose(library);
    return 0;
}
