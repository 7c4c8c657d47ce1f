#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *(*volatile copy)(void *, const void *, size_t) = memcpy;
static void (*volatile give)(void *) = free;
int *quiet(int *p), opaque(int *p);
int v[2] = {1, 2};
static int *(*volatile by_pointer)(int *) = quiet;
pthread_mutexattr_t attr;
pthread_cond_t cond;
int main(void) { pthread_mutexattr_init(&attr); pthread_cond_init(&cond, NULL); pthread_cond_destroy(&cond); copy(v, v + 1, 0); give(malloc(8)); printf("%d %d %d\n", *quiet(v), opaque(v), *by_pointer(v)); return 0; }
