# Directed runs have no vector clocks: they do not race-check the accesses of string functions, so
# they report no false races there.
cat >strings.c <<'END'
#include <pthread.h>
#include <string.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
char a[16] = "hello", b[16];
static void *copy(void *p)
{
    pthread_mutex_lock(&m);
    memcpy(b, a, 8);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, copy, NULL);
    pthread_mutex_lock(&m);
    size_t n = strlen(b) + (size_t)strcmp(a, b);
    memcpy(b, a, 7);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return n == 77;
}
END
for flag in -fbuiltin -fno-builtin; do
    "$PF" cc -O1 -g $flag strings.c -o strings
    for schedule in rr:1000 rr:2 random:1 random:2; do
        status 0 "$PF" record -o s.clip --schedule=$schedule -- ./strings
        hasnt err "WARNING"
        status 0 "$PF" replay --quiet s.clip
        hasnt err "WARNING"
    done
    status 0 "$PF" hatch s.clip
    status 0 "$PF" run --state s -- ./strings
done
