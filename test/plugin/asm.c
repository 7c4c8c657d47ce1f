// Inline assembly: asm goto, unique labels, and a label that is not unique.
// warns: warning: pf cc does not check named
// want: write 4 hits asm.c
#include <stdio.h>

int hits;
__attribute__((noinline)) static int jump(int n)
{
    __asm__ goto("testl %0, %0\n jz %l[zero]" : : "r"(n) : "cc" : zero);
    hits += n;
    return 1;
zero:
    hits += 10;
    return 0;
}
__attribute__((noinline)) static int unique(int n)
{
    __asm__("jmp .Lover%=\n nop\n.Lover%=: addl $2, %0\n 1: nop" : "+r"(n));
    hits += n;
    return n;
}
__attribute__((noinline)) static int named(int n)
{
    __asm__("pf_test_label: addl $3, %0" : "+r"(n));
    return n;
}

int main(int argc, char **argv)
{
    printf("%d %d %d %d %d\n", jump(0), jump(3), unique(1), named(1), hits);
    return 0;
}
