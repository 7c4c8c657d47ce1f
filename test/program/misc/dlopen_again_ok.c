// A plug-in is loaded and unloaded many times; its memory is reused.
// want: none
// shared: libtool.so part/tool.c
#include <dlfcn.h>
#include <pthread.h>

int shared;

static void *worker(void *arg)
{
    void *lib = dlopen("./libtool.so", RTLD_NOW);
    void (*tool_write)(int *, int);
    *(void **)&tool_write = dlsym(lib, "tool_write");
    tool_write(&shared, 1);
    dlclose(lib);
    return arg;
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_join(t, NULL);
    }
    return shared != 1;
}
