# The memory that code without events can reach: two library calls are ordered through memory that
# both reach. If pf considered this memory unreachable, the accesses around the calls would be
# reported as a race.
cat >lib.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
struct handle { volatile int *flag; };
struct pair { long tag; volatile int *flag; };
union word { long number; volatile int *flag; };
extern volatile int gate __attribute__((weak));
static void set(volatile int *f) { *f = 1; }
static void await(volatile int *f) { while (!*f) sched_yield(); }
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
END
cat >main.c <<'END'
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
END
clang-19 -O1 -shared -fPIC -o liblib.so lib.c
# case NAME RACES 'before' 'set' 'await' [OPTION...]: pf predict must predict RACES races
case_() {
    local name=$1 races=$2
    "$PF" cc -O1 -g -I"$ROOT/include" "-DBEFORE=$3" "-DSET=$4" "-DAWAIT=$5" main.c -o "$name" -L. -llib -Wl,-rpath,"$PWD" \
        -rdynamic -pthread
    shift 5
    status 0 "$PF" record --trace "$@" -o "$name.clip" -- "./$name"
    status $((races ? 66 : 0)) "$PF" predict "$name.clip"
    has out "rdit: $races race"
}
m='(volatile int *)(mapped + 20480)'
case_ mapping 0 '' 'lib_set_at(mapped)' 'lib_await_at(mapped)'
case_ apart 1 '*(int *)(mapped2 + 12288) = 1' 'lib_set_at(mapped)' 'lib_await_at(mapped2)'
case_ through 0 "one.flag = two.flag = $m" 'lib_set(&one)' 'lib_await(&two)'
case_ through_full 0 "one.flag = two.flag = $m" 'lib_set(&one)' 'lib_await(&two)' --reach=full
case_ last 0 '' 'lib_set_last(SOME, &flag)' 'lib_await_last(SOME, &flag)'
case_ pair 0 '' 'lib_set_pair((struct pair){1, &flag})' 'lib_await_pair((struct pair){2, &flag})'
case_ word 0 '' 'lib_set_word((union word){.flag = &flag})' 'lib_await_word((union word){.flag = &flag})'
# Two adjacent blocks are recorded as one range; both are reached.
case_ blocks 0 'both[0] = calloc(1, 24), both[1] = calloc(1, 24)' 'lib_set_second(both)' 'lib_await_int(both[1])'
# The set of a call is cached until recorded code writes into it.
again='lib_look(&one), lib_look(&two)'
case_ kept 0 "$again, $again" "one.flag = $m, lib_look(&one), lib_set(&one)" \
    "two.flag = $m, lib_look(&two), lib_await(&two)"
case_ kept_full 0 "$again, $again" "one.flag = $m, lib_look(&one), lib_set(&one)" \
    "two.flag = $m, lib_look(&two), lib_await(&two)" --reach=full
# A call preserves the vector registers.
case_ vectors 1 'lib_double(factor * 3, &one, &result); if (result != 7.5) return 3' "" ""
# Variables that a library uses by name must be declared, by the program or for the library; other
# variables are not known.
case_ unsaid 1 '' 'lib_set_gate()' 'lib_await_gate()'
case_ said 0 'PF_GLOBAL(gate)' 'lib_set_gate()' 'lib_await_gate()'
printf '# of our library\nlibother.so* x\nliblib.so* gat? # its gate\n' >globals.txt
case_ configured 0 '' 'lib_set_gate()' 'lib_await_gate()' --globals globals.txt
sed -i 's/gat?/nothing/' globals.txt
case_ configured_not 1 '' 'lib_set_gate()' 'lib_await_gate()' --globals globals.txt
# A library's own data has no name in the program; any variable of the program can represent it.
case_ own 1 '' 'lib_set_own()' 'lib_await_own()'
printf 'liblib.so* factor\n' >globals.txt
case_ own_said 0 '' 'lib_set_own()' 'lib_await_own()' --globals globals.txt
# The lock that a library takes is in the trace: both calls use it, so data under it may order them.
case_ locked 0 '' 'lib_set_locked()' 'lib_await_locked()'
for policy in random:1 pos:2 random:5; do
    status 0 "$PF" record --schedule=$policy -o locked.clip -- ./locked
    status 0 "$PF" predict locked.clip
done
status 2 "$PF" record --globals nowhere.txt -o x.clip -- ./said
has err "nowhere.txt: No such file"
status 2 "$PF" record --reach=half -o x.clip -- ./said
has err "--reach=half"
# A modelled function of the C++ library reaches the memory that it accesses, and not what that
# memory points to.
cat >known.cc <<'END'
#include <map>
#include <pthread.h>
#include <string>
struct item { std::string name; int *link; };
int x;
item *one, *two;
std::map<int, int> numbers, others;
static void *first(void *p) { x = 1; FIRST; return p; }
static void *second(void *p) { SECOND; x = 2; return p; }
int main()
{
    one = new item{"one", &x}, two = new item{"two", &x};
    pthread_t t, u;
    pthread_create(&t, nullptr, first, nullptr);
    pthread_create(&u, nullptr, second, nullptr);
    pthread_join(t, nullptr);
    pthread_join(u, nullptr);
    return 0;
}
END
known() { # RACES 'first' 'second'
    "$PF" c++ -O0 -g "-DFIRST=$2" "-DSECOND=$3" known.cc -o known -pthread
    status 0 "$PF" record --trace -o known.clip -- ./known
    status $(($1 ? 66 : 0)) "$PF" predict known.clip
    has out "rdit: $1 race"
}
known 1 'one->name.append(" and a text that does not fit")' 'two->name.append(" and more")'
known 0 'one->name.append(" and more")' 'one->name.append(" and more")'
known 1 'numbers[1] = 1' 'others[1] = 2'
