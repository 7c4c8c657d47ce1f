# The output of pf dump can be read back: values up to the largest, reads of values that no event
# wrote (arguments of a variadic function), variables larger than the space of a name, a source file
# with a space in its name.
mkdir "my part"
cat >"my part/a #1.c" <<'C'
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
static unsigned long big[20000], last, count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void add(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    for (int i = 0; i < n; i++)
        count += va_arg(ap, unsigned long);
    va_end(ap);
}
static void *f(void *arg)
{
    unsigned long k = (unsigned long)arg;
    pthread_mutex_lock(&m);
    big[9000 * k] = -k;
    last = -6;
    for (unsigned long i = 0; i < 3; i++)
        add(9, i, i, i, i, i, i, i, i, i + k);
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    for (unsigned long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, f, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%lu %lu %lu\n", big[9000], big[18000], count);
    return 0;
}
C
"$PF" cc -g -O1 "my part/a #1.c" -o a -pthread
status 0 "$PF" record -o a.clip -- ./a
status 0 "$PF" dump -o a.text a.clip
has a.text "=18446744073709551615"
has a.text "@my_part/a__1.c:"
has a.text "recorded"
status 0 "$PF" dump -o b.text a.text
cmp a.text b.text
status 0 "$PF" predict a.text

# A truncated recording is marked so in both forms, and its findings are incomplete.
"$PF" record -o cut.clip --trace -- ./a >/dev/null
head -c $(($(stat -c %s cut.clip) * 3 / 5)) cut.clip >part.clip
status 0 "$PF" dump -o a.text part.clip
has a.text "recorded cut"
status 0 "$PF" dump -o b.text a.text
cmp a.text b.text
status 0 "$PF" predict --json=a.json a.text
has a.json '"complete":false'

# The memory that a call into code without events reaches is printed once.
echo 'void look(const void *at) { __asm__ volatile("" : : "r"(at) : "memory"); }' >look.c
cp "$ROOT/test/shell/part/dump_back_list.c" list.c
clang-19 -O1 -c look.c
"$PF" cc -g -O1 -pthread list.c look.o -o list
status 0 "$PF" record -o list.clip -- ./list
status 0 "$PF" dump -o list.text list.clip
[[ $(grep -c ' call? look {' list.text) == 100 && $(grep -c ' call? look { =[0-9]* }' list.text) == 99 ]] ||
    fail "the set was printed again"
status 0 "$PF" dump -o again.text list.text
cmp <(sed 's/{ 0x.*}/{ }/' list.text) <(sed 's/{ 0x.*}/{ }/' again.text) # the text form splits ranges
for from in list.clip list.text; do
    status 66 "$PF" predict --json $from.json $from
done
python3 - <<'END2'
import json
a, b = (sorted(x["line"] for f in json.load(open(n))["findings"] for x in f["accesses"]) for n in ("list.clip.json", "list.text.json"))
assert a and a == b, (a, b)
END2
printf '1 T0 call f { x }\n2 T0 ret f\n3 T0 call f { =2 }\n' >bad.text
status 2 "$PF" dump bad.text
has err "bad.text:3: event 2 is not a call"
printf '1 T0 call f { =7 }\n' >bad.text
status 2 "$PF" dump bad.text
has err "bad.text:1: no event 7 before this one"
