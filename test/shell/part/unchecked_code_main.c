/* Calls other(), which another compiler may have built, and loads the plugin that its argument
 * names. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

int other(int x);
static int shared;

/* Left out by the user, and a function that accesses no memory: not errors. */
__attribute__((noinline, no_sanitize("thread"))) static int peek(void) { return shared; }
__attribute__((noinline)) static int twice(int x) { return x * 2; }

static void *adds(void *arg)
{
    shared += other(1);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, adds, NULL);
    pthread_join(t, NULL);
    if (argc > 1) {
        void *plugin = dlopen(argv[1], RTLD_NOW);
        int (*function)(int);
        if (!plugin)
            return 1;
        *(void **)&function = dlsym(plugin, "other");
        shared += function(shared);
        dlclose(plugin);
    }
    printf("%d %d\n", twice(shared), peek());
    return 0;
}
