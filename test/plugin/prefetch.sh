# A program accesses soon what it prefetches, and its checks access the shadow. So the watch body
# also prefetches two lines of cells, one of state bytes and two of overflow words, but not for
# constants or code.
prefetches() {
    status 0 "$PF" cc -O2 -S -emit-llvm -o one.ll one.c
    grep -c 'call void @llvm.prefetch' one.ll
}
echo 'void one(int *p, int *q) { *q = 1; __builtin_prefetch(p); *q = 2; }' >one.c
shared=$(prefetches)
echo 'static const int c[64]; void one(int *p, int *q) { *q = 1; __builtin_prefetch(c + *p); *q = 2; }' >one.c
constant=$(prefetches)
status 0 test "$constant" -ge 1
status 0 test "$shared" -eq $((constant + 5))
cat >one.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
    __builtin_prefetch(argv[argc]);
    __builtin_prefetch((void *)0x7fffdeadbeef0123, 1);
    return puts("done") < 0;
}
END
status 0 "$PF" cc -O2 -o one one.c
status 0 "$PF" run -- ./one
has out done
