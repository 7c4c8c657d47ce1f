// setjmp and longjmp over several frames, in plain and watch bodies, leave the shadow stack right.
// want: write 4 done jumps.c:42 main
// want: write 4 deep jumps.c:18 fall < fall:20 < try:29 < main:39
// want: write 4 caught jumps.c:33 try < main:39
#include <setjmp.h>
#include <stdio.h>

static jmp_buf buf;
int deep, caught, done;
void (*volatile jump)(int);
static void leap(int n) { longjmp(buf, n); }

__attribute__((noinline)) static void fall(int n)
{
    if (n == 0)
        jump(7);
    if (n <= 2)
        deep++;
    /* not a tail call */
    fall(n - 1);
    deep--;
}

__attribute__((noinline)) static int try(int n)
{
    volatile int state = n;
    int got = setjmp(buf);
    if (got == 0) {
        fall(state);
    }
    if (got)
        state += got;
    caught += got;
    return state;
}
int main(void)
{
    jump = leap;
    int sum = try(2);
    for (int i = 0; i < 3; i++)
        sum += try(1);
    done = 1;
    printf("%d %d %d\n", sum, deep, caught);
    return 0;
}
