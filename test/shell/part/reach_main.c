#include "photofinish.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
struct handle { volatile int *flag; };
struct pair { long tag; volatile int *flag; };
union word { long number; volatile int *flag; };
void lib_look(struct handle *), lib_set(struct handle *), lib_await(struct handle *);
void lib_set_at(char *), lib_await_at(char *), lib_set_gate(void), lib_await_gate(void);
void lib_set_own(void), lib_await_own(void), lib_set_locked(void), lib_await_locked(void);
#define MANY char *, char *, char *, char *, char *, char *, char *, char *, char *, char *, char *, \
    char *, char *, char *, char *, char *, char *, char *
void lib_set_last(MANY, int *), lib_await_last(MANY, int *);
void lib_set_pair(struct pair), lib_await_pair(struct pair);
void lib_set_word(union word), lib_await_word(union word);
void lib_set_second(int **), lib_await_int(int *), lib_double(double, struct handle *, double *);
volatile double factor = 2.5;
double result;
int x, flag, others[18], *both[2];
volatile int gate;
struct handle one, two;
char *mapped, *mapped2;
#define SOME (char *)&others[0], (char *)&others[1], (char *)&others[2], (char *)&others[3], (char *)&others[4], \
    (char *)&others[5], (char *)&others[6], (char *)&others[7], (char *)&others[8], (char *)&others[9], \
    (char *)&others[10], (char *)&others[11], (char *)&others[12], (char *)&others[13], (char *)&others[14], \
    (char *)&others[15], (char *)&others[16], (char *)&others[17]
void lib_apply(void (*)(int), int);
void deeper(int n)
{
    if (n)
        lib_apply(deeper, n - 1);
    else
        lib_set_at(mapped);
}
static void *first(void *p)
{
    x = 1;
    SET;
    return p;
}
static void *second(void *p)
{
    AWAIT;
    x = 2;
    return p;
}
int main(void)
{
    pthread_t t, u;
    mapped = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(mapped + 61440, 4096, PROT_NONE); /* keeps the next mapping separate */
    mapped2 = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(mapped2 + 61440, 4096, PROT_NONE);
    BEFORE;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
