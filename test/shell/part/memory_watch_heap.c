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
    case 9: drop(p); p = realloc(p, 100000); r = p[3] + !fine(); drop(p); break;
    }
    puts("goes on");
    return r > 1;
}
