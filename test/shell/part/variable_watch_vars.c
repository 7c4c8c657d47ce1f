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
