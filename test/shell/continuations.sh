# shellcheck shell=bash disable=SC2154
# A checkpoint in the middle of a program with 8 threads and 100 MB of heap: 50 continuations with
# different seeds. Each of them is an ordinary clip that replays from the start with the same
# outcome.
cat >eight.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define THREADS 8
#define SIZE (100u << 20)
static unsigned char *heap;
static long lost;
static void *work(void *p)
{
    long me = (long)p, sum = 0;
    for (unsigned i = 0; i < 40; i++) {
        size_t at = (size_t)(rand_r(&(unsigned){me * 100 + i}) % (SIZE / 4096)) * 4096;
        heap[at]++;
        long seen = lost; /* updates get lost, depending on the schedule */
        sum += heap[at];
        lost = seen + 1;
    }
    return (void *)sum;
}
int main(void)
{
    pthread_t t[THREADS];
    long sum = 0;
    heap = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i += 4096)
        heap[i] = 1;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *r;
        pthread_join(t[i], &r);
        sum += (long)r;
    }
    printf("%ld %ld\n", lost, sum);
    return (int)(lost % 5);
}
C
"$PF" cc -O1 -g eight.c -o eight
mkdir more
status 0 "$PF" record -o c.clip --schedule=random:7 --at=T4:60 --continue=50 --tail='random:*' --folder=more -- ./eight
[[ $(find more -name '*.clip' | wc -l) == 50 ]] || fail "$(find more -name '*.clip' | wc -l) continuations"
outcomes=
for i in $(seq 0 49); do
    "$PF" dump --about "more/$i.clip" >about
    has about "schedule random:$i"
    want=$(sed -n 's/^end status //p' about)
    s=0
    "$PF" replay "more/$i.clip" >out 2>err || s=$?
    [[ $s == $((want / 256)) ]] || fail "more/$i.clip: replayed with status $s, recorded with $want: $(cat err)"
    outcomes+="$(cat out)"$'\n'
done
different=$(sort -u <<<"$outcomes" | wc -l)
((different > 5)) || fail "only $different outcomes"
