// Freed blocks are allocated again by libc's own malloc: looked up by name, and by a library that
// is loaded with RTLD_DEEPBIND, whose lock would not be seen either.
// want: none
// shared: libdeep.so part/deep.c
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static int (*deep_count)(void);

static char *free_one(void)
{
    char *volatile a = malloc(100);
    a[1] = 1;
    free(a);
    return a;
}

static void *count(void *arg)
{
    for (int i = 0; i < 100; i++)
        deep_count();
    return arg;
}

int main(void)
{
    char *(*deep_block)(void);
    void *(*other_malloc)(size_t);
    void *library = dlopen("./libdeep.so", RTLD_NOW | RTLD_DEEPBIND);
    *(void **)&deep_block = dlsym(library, "deep_block");
    *(void **)&deep_count = dlsym(library, "deep_count");
    for (int i = 0; i < 10; i++) {
        free_one();
        char *b = deep_block();
        b[1] = 2;
        free(b);
    }
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (deep_count() != 201)
        return 1;

    *(void **)&other_malloc = dlsym(dlopen("libc.so.6", RTLD_NOW), "malloc");
    for (int i = 0; i < 10; i++) {
        free_one();
        char *b = other_malloc(100);
        b[1] = 2;
        free(b);
    }
    return 0;
}
