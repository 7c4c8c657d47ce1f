// State inside libc, under locks that are not visible: environment, libraries, names, streams.
// want: none
#define _GNU_SOURCE
#include <dlfcn.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static void *work(void *arg)
{
    char name[32], text[64];
    int id = *(int *)arg;
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "VAR%d", i * 4 + id);
        setenv(name, "a value that is copied", 1);
        void *lib = dlopen(id % 2 ? "libm.so.6" : "libz.so.1", RTLD_NOW);
        if (lib)
            dlclose(lib);
        struct addrinfo *list = NULL, hints = {.ai_flags = AI_NUMERICHOST};
        if (getaddrinfo("127.0.0.1", "80", &hints, &list) == 0)
            freeaddrinfo(list);
        FILE *f = fopen("/proc/self/maps", "r");
        if (f && fgets(text, sizeof text, f))
            fclose(f);
        struct tm tm;
        time_t now = 0;
        localtime_r(&now, &tm);
        strftime(text, sizeof text, "%c", &tm);
        qsort(text, strlen(text), 1, compare);
        locale_t l = newlocale(LC_ALL_MASK, "C", NULL);
        freelocale(l);
        FILE *p = i ? NULL : popen("true", "r");
        if (p)
            pclose(p);
    }
    return arg;
}
int main(void)
{
    pthread_t t[4];
    int id[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
