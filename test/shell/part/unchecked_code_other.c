static int calls;

__attribute__((noinline)) int helper(int x) { return x + ++calls; }

int other(int x) { return helper(x) * 2; }
