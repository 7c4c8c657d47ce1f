# When a run leaves its schedule, other schedules are tried: first one of the engine, then one with
# other events of the same code. These programs are steered by memory that no trace contains,
# because it is accessed in assembly of more than one instruction.
cat >hidden.h <<'END'
#include "photofinish.h"
#include <pthread.h>
int x, hidden = 1;
static volatile int own;
static inline void hide(int v) { __asm__ volatile("nop; movl %1, %0" : "=m"(hidden) : "r"(v)); }
static inline void turn(void) { __asm__ volatile("nop; xorl $1, %0" : "+m"(hidden)); }
static inline int peek(void)
{
    int v;
    __asm__ volatile("nop; movl %1, %0" : "=r"(v) : "m"(hidden));
    return v;
}
END
# The generated schedule lets all other threads run as they did, and one of them changes the switch.
# The engine's schedule avoids that.
cat >engine.c <<'END'
#include "hidden.h"
static void *first(void *p)
{
    PF_ATOMIC_BEGIN();
    int seen = x;
    x = seen + 1;
    PF_ATOMIC_END();
    turn();
    return p;
}
static void *other(void *p)
{
    turn();
    own = 1;
    return p;
}
static void *second(void *p)
{
    if (peek())
        x = 5;
    return p;
}
int main(void)
{
    void *(*const body[])(void *) = {first, other, second};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
# The first pair of accesses never happens together; a later pair of the same code does.
cat >later.c <<'END'
#include "hidden.h"
static void store(int v) { x = v; }
static void *second(void *p)
{
    int seen = 0;
    if (peek())
        seen = x;
    return seen ? p : NULL;
}
int main(void)
{
    pthread_t t;
    hide(0);
    pthread_create(&t, NULL, second, NULL);
    hide(1);
    store(1);
    hide(0);
    store(2);
    hide(1);
    pthread_join(t, NULL);
    return 0;
}
END
# The accesses never happen together.
cat >never.c <<'END'
#include "hidden.h"
static void *other(void *p)
{
    own = 1;
    return p;
}
static void *second(void *p)
{
    int seen = 0;
    if (!peek())
        seen = x;
    return seen ? p : NULL;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, second, NULL);
    x = 1;
    pthread_create(&u, NULL, other, NULL);
    pthread_join(u, NULL);
    hide(0);
    pthread_join(t, NULL);
    return 0;
}
END
declare -A schedule=([never]=--schedule=random:1)
for name in engine later never; do
    "$PF" cc -O0 -g -I"$ROOT/include" $name.c -o $name
    status 0 "$PF" record -o $name.clip ${schedule[$name]:-} -- ./$name
done
tries() { # KIND: the number of schedules tried for the finding of this kind
    python3 -c 'import json, sys
print(*(f["tries"] for f in json.load(open(sys.argv[1]))["findings"] if f["kind"] == sys.argv[2]))' h.json "$1"
}
status 66 "$PF" predict --analysis=pecan engine.clip
has out "Witness: as recorded up to event 9, then 10 14 15 16 17 18 11"
status 66 "$PF" hatch --json h.json engine.clip
has out "atomicity violation"
has out "3 real, of these 0 with an error; 0 false"
[[ $(tries atomicity) == 2 ]] || fail "tries: $(tries atomicity)"
status 66 "$PF" hatch --json h.json later.clip
has out "1 real"
[[ $(tries race) -gt 1 ]] || fail "tries: $(tries race)"
for clip in engine.clip.hatched/*.clip later.clip.hatched/*.clip; do
    status 0 "$PF" replay --quiet "$clip"
done
status 0 "$PF" hatch --json h.json never.clip
has out "false: "
has out "never.c:11: T1 did not reach this line: a step of a thread that has ended (and "
has out "hatch: 1 candidates: 0 real, of these 0 with an error; 1 false"
has h.json '"refuted":1,"undecided":0'
