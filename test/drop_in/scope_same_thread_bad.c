// want: use-after-scope
// flags: -fpf-use-after-scope
// flags: -O0
// tsan: has no such kind
// A thread uses its own variable after the end of its scope. Without optimisation.
static __attribute__((noinline)) void set(int *p, int value) { *p = value; }

int main(void)
{
    int *kept = 0;
    for (int i = 0; i < 2; i++) {
        int local[3];
        if (kept)
            break;
        set(local, i);
        kept = local;
    }
    set(kept, 3);
    return 0;
}
