#include <stdio.h>
__attribute__((noinline)) static void fill(int *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }
int main(int argc, char **argv)
{
    int a[4];
    fill(a, 3 + argc);
    printf("%d\n", a[argc]);
    return 0;
}
