// Thread-local variables of a library that is loaded after the threads were created.
// want: none
// shared: libtlslib.so part/tls_lib.c
#include "order.h"
#include <dlfcn.h>
#include <pthread.h>

static int *(*tls_slot)(int);

static void *worker(void *arg)
{
    order_arrive();
    order_wait(4);
    int *(*f)(int) = __atomic_load_n(&tls_slot, __ATOMIC_ACQUIRE);
    for (int i = 0; i < 8; i++)
        *f(i) += 1;
    return (void *)(long)(*f(3) != 3 || arg);
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    order_wait(3);
    void *lib = dlopen("./libtlslib.so", RTLD_NOW);
    __atomic_store_n(&tls_slot, (int *(*)(int))dlsym(lib, "tls_slot"), __ATOMIC_RELEASE);
    order_arrive();
    long bad = 0;
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(t[i], &result);
        bad += (long)result;
    }
    dlclose(lib);
    return bad != 0;
}
