# shellcheck shell=bash disable=SC2154
# Directed runs find invalid accesses to heap memory, while recording and in replays, and have no
# false alarms.
cat >heap.c <<'C'
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static char *make(size_t n) { char *p = malloc(n); memset(p, 1, n); return p; }
static void drop(char *p) { free(p); }
static int after(char *p) { return p[3]; }
static void fill(char *p, int n) { for (int i = 0; i < n; i++) p[i] = 2; }
static int before(char *p) { return p[-1]; }
static void *later(void *p) { return after(p) ? p : NULL; }
static int fine(void)
{
    int sum = 0;
    for (int i = 0; i < 6000; i++) { /* more blocks than the quarantine keeps after free */
        char *p = make(i % 300 + 1), *q = calloc(3, 7);
        fill(p, i % 300 + 1);
        fill(q, 21);
        p = realloc(p, i % 77 + 1);
        fill(p, i % 77 + 1);
        fill(p, (int)malloc_usable_size(p));
        sum += p[0] + q[20];
        drop(p);
        drop(q);
    }
    char *big = make(1 << 20);
    drop(big);
    big = make(20 << 20);
    drop(big);
    big = mmap(NULL, 24 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 24 << 20; i += 4000)
        sum += big[i]++;
    return sum != 0;
}
int main(int argc, char **argv)
{
    int r = 0, what = atoi(argv[1]);
    char *p = make(21), *q = make(40);
    pthread_t t;
    switch (what) {
    case 0: r = !fine(); break;
    case 1: drop(p); r = after(p); break;
    case 2: fill(p, 22); break;
    case 3: r = before(q); break;
    case 4: drop(p); memcpy(p, q, 3); break;
    case 5: memset(p, 0, 22); break;
    case 6: drop(p); drop(p); break;
    case 7: drop(p); pthread_create(&t, NULL, later, p); pthread_join(t, NULL); break;
    case 8: p = realloc(p, 10); r = p[10]; break;
    }
    puts("goes on");
    return r > 1;
}
C
"$PF" cc -O1 -g -fno-inline heap.c -o heap
status 0 "$PF" record --watch -o ok.clip -- ./heap 0
hasnt err photofinish
status 0 "$PF" replay --watch ok.clip

check() { # number, kind, the accesses as op:line
    status 66 "$PF" record --watch --log "log$1" -o "$1.clip" -- ./heap "$1"
    has out "goes on"
    has err "$2"
    mv err recorded
    status 66 "$PF" replay --watch "$1.clip"
    has out "goes on"
    has err "$2"
    status 66 "$PF" report --json --state "log$1" -o "$1.json"
    python3 - "$1.json" "$3" "$4" <<'P'
import json, sys
f, = json.load(open(sys.argv[1]))["findings"]
got = " ".join(f"{a['op']}:{next(x['line'] for x in a['stack'] if x.get('line'))}" for a in f["accesses"])
assert (f["kind"], got) == (sys.argv[2], sys.argv[3]), (f["kind"], got)
assert f["status"] == "observed" and len(f["id"]) == 16, f
P
}
check 1 "after it was freed" use-after-free "free:8 read:9"
check 2 "outside of a heap block" heap-overflow "alloc:7 write:10"
check 3 "outside of a heap block" heap-overflow "alloc:7 read:11"
check 4 "after it was freed" use-after-free "free:8 write:46"
check 5 "outside of a heap block" heap-overflow "alloc:7 write:47"
check 6 "freed twice" double-free "free:8 free:8"
check 7 "by thread T1" use-after-free "free:8 read:9"
check 8 "outside of a heap block" heap-overflow "alloc:50 read:50"

# Recorded without --watch: schedule and memory are the same in a replay, so a replay finds the
# error.
status 0 "$PF" record -o plain.clip -- ./heap 1
status 66 "$PF" replay --watch plain.clip
has err "use of a heap block after it was freed in after (heap.c:9)"
# Double frees are always detected.
status 66 "$PF" record -o plain.clip -- ./heap 6

# Blocks of an allocator that the program provides have no red zones: nothing is reported.
cat >own.cpp <<'C'
#include <cstdio>
#include <cstring>
#include <cstdlib>
alignas(16) static char arena[1 << 20];
static size_t used;
extern "C" void *malloc(size_t n) { void *p = arena + used; used += (n + 15) & -16ul; return p; }
extern "C" void free(void *) {}
extern "C" void *calloc(size_t n, size_t m) { return malloc(n * m); }
extern "C" void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }
int main(int argc, char **)
{
    char *a = new char[16], *b = new char[16];
    memset(b, argc, 16);
    memset(a, argc + 1, 16);
    printf("%d\n", memcmp(a, b, 16) > 0);
    delete[] a;
    delete[] b;
}
C
"$PF" c++ -O0 -g own.cpp -o own
status 0 "$PF" record --watch -o own.clip -- ./own

# The child of a recorded program is not directed; its blocks are where the parent's red zones were.
cat >child.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static size_t use(size_t size)
{
    char *p = malloc(size);
    memset(p, 'x', size);
    p[size - 1] = 0;
    size_t n = strlen(p) + (size_t)strcmp(p, p);
    free(p);
    return n;
}
int main(void)
{
    size_t n = 0;
    int status;
    for (int i = 0; i < 4000; i++)
        n += use(i % 50 + 1);
    if (fork() == 0) {
        for (int i = 0; i < 2000; i++)
            n += use(i * 7 % 120 + 1);
        _exit(n == 0);
    }
    wait(&status);
    return status != 0 || n == 0;
}
C
"$PF" cc -O1 -g -fno-builtin child.c -o child
for watch in "" --watch; do
    status 0 "$PF" record ${watch:+$watch} -o child.clip -- ./child
    hasnt err WARNING
done
