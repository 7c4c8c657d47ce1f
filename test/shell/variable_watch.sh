# shellcheck shell=bash disable=SC2154
# Directed runs find accesses outside of global and stack variables, and have no false alarms.
cat >vars.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { int a[4]; int b; };
static int table[10];
static struct pair pairs[3];
static const char letters[5] = "abcd";
static volatile int out;
static jmp_buf env;
__attribute__((noinline)) static void fill(char *p, int n) { for (int i = 0; i < n; i++) p[i] = (char)i; }
__attribute__((noinline)) static int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
static void *later(void *p) { fill(p, 11); return NULL; }
__attribute__((noinline)) static void deep(int n) { char b[24]; fill(b, 24); if (n) deep(n - 1); else longjmp(env, 1); }
static int vla(int n, int k) { int v[n]; for (int i = 0; i < n; i++) v[i] = out + i; return v[k]; }
static int other(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int fine(int one)
{
    char buf[13], *end = buf + 13;
    int local[7], s = 0;
    struct pair p = {{1, 2, 3, 4}, 5}, *q = &p;
    fill(buf, 13);
    for (char *c = buf; c != end; c++) s += *c;
    for (int i = 0; i < 7; i++) local[i] = 7 - i * one;
    qsort(local, 7, sizeof *local, other);
    s += sum(local, 7) + sum(table, 10) + sum(p.a, 4 * one) + q->b + vla(9, 8) + letters[2 * one];
    for (volatile int k = 0; k < 5; k++) {
        if (!setjmp(env)) deep(5); /* longjmp leaves its variables without an end-of-life notice */
        char again[40]; fill(again, 40); s += again[39];
        memset(again, 0, 40);
        { char tiny[8]; fill(tiny, 8); s += tiny[7]; }
        { char larger[300]; fill(larger, 300); s += larger[299]; }
    }
    strcpy(buf, "twelve chars");
    snprintf(buf, sizeof buf, "%d", s);
    pairs[2 * one].a[3] = (int)strlen(buf);
    return s;
}
int main(int c, char **v)
{
    int what = atoi(v[1]), one = c - 1;
    char buf[10], twenty[20];
    int nums[6];
    pthread_t t;
    switch (what) {
    case 0: out = fine(one); break;
    case 1: nums[out - one] = 1; break;
    case 2: table[9 + one] = 2; break;
    case 3: fill(buf, 11); break;
    case 4: out = sum(table, 11); break;
    case 5: strcpy(buf, "ten chars!"); break;
    case 6: pthread_create(&t, NULL, later, buf); pthread_join(t, NULL); break;
    case 7: out = letters[4 + one]; break;
    case 8: memset(twenty, 0, 20 + one); out = sum((int *)twenty, 1); break;
    case 9: out = vla(5, 4 + one); break;
    }
    puts("goes on");
    return sum(nums, 0);
}
C
cat >vars.cpp <<'C'
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct Base { virtual ~Base() {} char tag[3]; };
struct Derived : Base { char tail; int numbers[3]; };
__attribute__((noinline)) static void set(int *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }
__attribute__((noinline)) static int risky(int n)
{
    int room[9];
    set(room, 9);
    if (n == 0) throw std::runtime_error(std::string(20, 'x'));
    return risky(n - 1) + room[3];
}
static int fine()
{
    int s = 0;
    for (int i = 0; i < 20; i++) {
        try { s += risky(i % 4); } catch (const std::exception &e) { s += e.what()[3]; }
        Derived d;
        d.tail = 1;
        set(d.numbers, 3);
        int over[30];
        set(over, 30);
        std::string text = "number " + std::to_string(s + over[29] + d.numbers[2]);
        std::vector<std::string> words(3, text);
        s += (int)words[2].size();
    }
    return s;
}
int main(int c, char **v)
{
    Derived d;
    if (atoi(v[1]) == 0) { std::thread t([] { fine(); }); fine(); t.join(); }
    else { std::thread t([&d, c] { set(d.numbers, 2 + c); }); t.join(); }
    puts("goes on");
}
C
check() { # program, case, title, kind, function, variable
    status 66 "$PF" record --watch --log "log$2" -o v.clip -- "$1" "$2"
    has out "goes on"
    has err "$3 in $5 ("
    status 66 "$PF" replay --quiet --watch v.clip
    has err "$3 in $5 ("
    status 66 "$PF" report --json --state "log$2" -o v.json
    python3 - v.json "$4" "$6" <<'P'
import json, sys
f = json.load(open(sys.argv[1]))["findings"][0]
assert f["kind"] == sys.argv[2], f
assert f["location"]["kind"] == sys.argv[2].split("-")[0] and f["location"]["name"] == sys.argv[3], f["location"]
assert f["location"]["size"] and f["location"]["file"], f["location"]
P
    rm -r "log$2"
}
stack="access outside of a variable on the stack" global="access outside of a global variable"
for level in O0 O2; do
    "$PF" cc -$level -g -w vars.c -o vars -pthread
    "$PF" c++ -$level -g vars.cpp -o varsxx -pthread
    for program in ./vars ./varsxx; do
        status 0 "$PF" record --watch -o ok.clip -- $program 0
        hasnt err photofinish
        status 0 "$PF" record --trace -o ok.clip -- $program 0
        status 0 "$PF" replay --quiet --watch ok.clip
    done
    check ./vars 1 "$stack" stack-buffer-overflow main nums
    check ./vars 2 "$global" global-buffer-overflow main table
    check ./vars 3 "$stack" stack-buffer-overflow fill buf
    check ./vars 4 "$global" global-buffer-overflow sum table
    check ./vars 5 "$stack" stack-buffer-overflow main buf
    check ./vars 6 "$stack" stack-buffer-overflow fill buf
    check ./vars 7 "$global" global-buffer-overflow main letters
    check ./vars 8 "$stack" stack-buffer-overflow main twenty
    check ./vars 9 "$stack" stack-buffer-overflow vla vla
    check ./varsxx 1 "$stack" stack-buffer-overflow "set(int*, int)" d
done

# Harm that a schedule causes: the index is read twice, and changed in between.
cat >late.c <<'C'
#include <pthread.h>
#include <stdio.h>
static int at, table[8];
static void *grow(void *p) { at = 8; return p; }
static void *use(void *p)
{
    if (at < 8)
        table[at] = 1;
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, use, NULL);
    pthread_create(&u, NULL, grow, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    puts("done");
}
C
"$PF" cc -O0 -g late.c -o late
status 0 "$PF" record -o late.clip -- ./late
status 66 "$PF" hatch -o late.d late.clip
has out "Consequence: memory error: access outside of a global variable in use (late.c:8)"

# A function that receives only local variables of its callers can still access memory outside of
# them.
cat >own.c <<'C'
#include <stdio.h>
__attribute__((noinline)) static void fill(int *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }
int main(int argc, char **argv)
{
    int a[4];
    fill(a, 3 + argc);
    printf("%d\n", a[argc]);
    return 0;
}
C
status 0 "$PF" cc -O1 -g -o own own.c
status 0 "$PF" record --watch -o own.clip -- ./own
status 66 "$PF" record --watch -o own.clip -- ./own too far
has err "outside of a variable on the stack in fill"
