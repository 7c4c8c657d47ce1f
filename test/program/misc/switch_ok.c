// Control flow of every kind has the same result in instrumented code.
// want: none
// stdout: 4827
#include <stdio.h>
#include <string.h>

static int weird(int n)
{
    int r = 0;
    switch (n & 3) {
    case 0:
        do {
            r++;
        case 3:
            r++;
        case 2:
            r++;
        case 1:
            r++;
        } while ((n -= 4) > 0);
    }
    return r;
}

static int sum(int n, ...)
{
    __builtin_va_list ap;
    int s = 0;
    __builtin_va_start(ap, n);
    for (int i = 0; i < n; i++)
        s += __builtin_va_arg(ap, int);
    __builtin_va_end(ap);
    return s;
}

int main(void)
{
    int total = 0;
    for (int i = 1; i < 100; i++) {
        if (i % 15 == 0)
            continue;
        total += weird(i);
        int square[i % 7 + 1];
        memset(square, 1, sizeof square);
        total += square[i % 7] & 1;
        total += sum(3, i, i % 3, -i);
    }
    printf("%d\n", total);
    return 0;
}
