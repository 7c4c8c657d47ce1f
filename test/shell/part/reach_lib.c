#include <pthread.h>
#include <sched.h>
#include <stddef.h>
struct handle { volatile int *flag; };
struct pair { long tag; volatile int *flag; };
union word { long number; volatile int *flag; };
extern volatile int gate __attribute__((weak));
static void set(volatile int *f) { *f = 1; }
static void await(volatile int *f) { while (!*f) sched_yield(); }
void lib_apply(void (*f)(int), int n) { f(n); }
void lib_look(struct handle *h) { (void)h; }
void lib_double(double d, struct handle *h, double *to) { *to = h ? d : 0; }
void lib_set(struct handle *h) { set(h->flag); }
void lib_await(struct handle *h) { await(h->flag); }
void lib_set_at(char *p) { set((int *)(p + 12288)); }
void lib_await_at(char *p) { await((int *)(p + 12288)); }
#define MANY char *a, char *b, char *c, char *d, char *e, char *f, char *g, char *h, char *i, char *j, char *k, \
    char *l, char *m, char *n, char *o, char *p, char *q, char *r
void lib_set_last(MANY, int *s) { set(s); }
void lib_await_last(MANY, int *s) { await(s); }
void lib_set_pair(struct pair p) { set(p.flag); }
void lib_await_pair(struct pair p) { await(p.flag); }
void lib_set_word(union word w) { set(w.flag); }
void lib_await_word(union word w) { await(w.flag); }
void lib_set_second(volatile int **p) { set(p[1]); }
void lib_await_int(volatile int *p) { await(p); }
void lib_set_gate(void) { set(&gate); }
void lib_await_gate(void) { await(&gate); }
static volatile int own;
void lib_set_own(void) { set(&own); }
void lib_await_own(void) { await(&own); }
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int state;
static int look(int new) { pthread_mutex_lock(&mutex); int now = state |= new; pthread_mutex_unlock(&mutex); return now; }
void lib_set_locked(void) { look(1); }
void lib_await_locked(void) { while (!look(0)) sched_yield(); }
