/* A library with thread-local variables. */
static __thread int mine[8];
__thread int exported;

int *tls_slot(int i)
{
    mine[i]++;
    exported++;
    return &mine[i];
}
