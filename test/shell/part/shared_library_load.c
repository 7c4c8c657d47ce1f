#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void (*bump)(void);
static void *work(void *arg) { bump(); return arg; }
int main(void)
{
    for (int i = 0; i < 2; i++) {
        void *lib = dlopen("./libx.so", RTLD_NOW);
        if (!lib)
            return puts(dlerror()), 1;
        bump = (void (*)(void))dlsym(lib, "bump");
        pthread_t t;
        pthread_create(&t, 0, work, 0);
        bump();
        pthread_join(t, 0);
        dlclose(lib);
    }
    puts("done");
    return 0;
}
