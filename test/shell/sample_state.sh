# AtexRace's state between executions: many executions at once, killed ones, damaged and foreign
# files.
cat >two.c <<'END'
#include "order.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static void one(int *at) { ++*at; }
__attribute__((noinline)) static void other(int *at) { ++*at; }
static int a, b;
static void *run(void *arg)
{
    for (int i = 0; i < 300; i++)
        other(&b);
    order_arrive();
    order_wait(2);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    for (int i = 0; i < 300; i++)
        one(&a);
    order_arrive();
    pthread_join(t, NULL);
    return getenv("HOLD") ? getchar() != EOF : 0;
}
END
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o two two.c -pthread
export PF_OPTIONS="sample=atexrace:state=$PWD/storm:quiet=0"
status 0 python3 "$ROOT/test/run/state.py" storm storm 200 ./two
hasnt out "killed 0 "
# A truncated file, a modified one, one of another version, and a foreign file: each is named and
# set aside.
folder=$(echo storm/pairs/two-*)
status 0 ./two
hasnt err "photofinish"
for harm in cut changed version foreign; do
    [[ -f $folder/base ]]
    case $harm in
    cut) truncate -s -5 "$folder/base" ;;
    changed) printf 'X' | dd of="$folder/base" bs=1 seek=60 conv=notrunc 2>dd.txt ;;
    version) printf '\002' | dd of="$folder/base" bs=1 seek=8 conv=notrunc 2>dd.txt ;;
    foreign) echo "my notes" >"$folder/base" ;;
    esac
    status 0 ./two
    has err "$folder/base"
    has err "set aside, not used"
    ls "$folder" >names
    has names "bad-"
    rm "$folder"/bad-*
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        status 0 ./two
        hasnt err "photofinish"
    done
    status 0 python3 "$ROOT/test/run/state.py" check storm
done
# When the runtime must not write to the program's stderr, pf prints the message.
for verb in "run --quiet" suite; do
    [[ -f $folder/base ]]
    truncate -s -5 "$folder/base"
    status 0 env -u PF_OPTIONS "$PF" $verb --sample=atexrace --state storm -- ./two
    has err "pf ${verb%% *}: $PWD/$folder/base: truncated, or longer than its header says; set aside, not used"
    rm "$folder"/bad-*
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        status 0 ./two
    done
done
# An unusable state folder is reported, and the program runs.
touch plain-file
PF_OPTIONS="sample=atexrace:state=$PWD/plain-file"
status 0 ./two
has err "cannot be used"
# An execution with one thread has no pairs and is not counted.
cat >alone.c <<'END'
int main(void) { return 0; }
END
status 0 "$PF" cc -o alone alone.c
PF_OPTIONS="sample=atexrace:state=$PWD/alone.d"
status 0 ./alone
ls alone.d/pairs/alone-* >names
hasnt names ".pairs"
# An exec that fails: the execution goes on, is saved at its end, and counts once.
cat >exec.c <<'END'
#include "order.h"
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) static void one(int *at) { ++*at; }
__attribute__((noinline)) static void other(int *at) { ++*at; }
static int a, b;
static void *run(void *arg)
{
    order_wait(1);
    other(&b);
    order_point(1);
    order_wait(3);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1)
        execl("./no such program", "", (char *)NULL);
    pthread_create(&t, NULL, run, NULL);
    order_point(0);
    order_wait(2);
    one(&a);
    if (argc > 1)
        execl("./no such program", "", (char *)NULL);
    order_point(2);
    pthread_join(t, NULL);
    return 0;
}
END
status 0 "$PF" cc -g -O1 -I"$ROOT/test/program" -o exec exec.c -pthread
export PF_OPTIONS="sample=atexrace:state=$PWD/plain:quiet=0"
status 0 ./exec
status 0 python3 "$ROOT/test/run/state.py" check plain
cp out plain.out
export PF_OPTIONS="sample=atexrace:state=$PWD/failed:quiet=0"
status 0 ./exec x
status 0 python3 "$ROOT/test/run/state.py" check failed
has out "executions 1 "
diff plain.out out
