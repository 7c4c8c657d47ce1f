# Atomic regions that the program marks, atomic regions named by function, and check-then-act: racy
# programs and their race-free twins. In all of them every access is under the lock.
cp "$ROOT/test/shell/part/atomic_regions_region.c" region.c
# found OPTION... RECORDING: pf predict must predict an atomicity violation, with a witness (status
# 66) or without one yet
found() {
    "$PF" predict "$@" >out 2>err || [[ $? == 66 ]] || fail "pf predict $*"
    hasnt out " 0 atomicity violations"
}
# build LEVEL NAME 'begin' 'end' 'body': builds and records the program
build() {
    "$PF" cc "-$1" -g -I"$ROOT/include" "-DBEGIN=$3" "-DEND=$4" "-DBODY=${5//$'\n'/ }" region.c -o "$2" -pthread
    status 0 "$PF" record -o "$2.clip" -- "./$2"
}
none='(void)0' two='int v = get(&stock); set(&stock, v - 1);'
for level in O0 O2; do
    # Two separate critical sections without a mark: no atomic region.
    build $level plain "$none" "$none" "$two"
    status 0 "$PF" predict --analysis=pecan plain.clip
    has out "0 races, 0 atomicity violations"
    # The program marks the region.
    build $level marked 'PF_ATOMIC_BEGIN()' 'PF_ATOMIC_END()' "$two"
    found --analysis=pecan marked.clip
    rm -rf marked.clip.hatched
    status 66 "$PF" hatch marked.clip
    has out "atomicity violation"
    # The command line names the function.
    found --atomic='sel?,nothing' plain.clip
    rm -rf plain.clip.hatched
    status 66 "$PF" hatch --atomic=sell plain.clip
    has out "atomicity violation"
    status 66 "$PF" check --runs 1 --atomic=sell --state check.$level -- ./plain
    has out "atomicity violation"
    status 0 "$PF" predict --atomic='cell' plain.clip
    has out "0 races, 0 atomicity violations"
    # A region that is one critical section is atomic.
    build $level whole 'PF_ATOMIC_BEGIN()' 'PF_ATOMIC_END()' \
        'pthread_mutex_lock(&m); stock = stock - 1; pthread_mutex_unlock(&m);'
    status 0 "$PF" predict --analysis=pecan whole.clip
    # Check-then-act, without any annotation.
    act='pthread_mutex_lock(&m); stock = v - 1; pthread_mutex_unlock(&m);'
    check='pthread_mutex_lock(&m); int v = stock; pthread_mutex_unlock(&m);'
    build $level acts "$none" "$none" "$check if (v > 0) { $act }"
    found --analysis=pecan acts.clip
    rm -rf acts.clip.hatched
    status 66 "$PF" hatch acts.clip
    has out "atomicity violation"
    # The value read in one section is stored in the next one: an update is lost.
    build $level straight "$none" "$none" "$check $act"
    found --analysis=pecan straight.clip
    rm -rf straight.clip.hatched
    status 66 "$PF" hatch straight.clip
    has out "atomicity violation"
    # No check-then-act: checked again in the section that stores; one section only; another
    # variable; a critical section in each iteration of a loop.
    build $level again "$none" "$none" "$check if (v > 0) { pthread_mutex_lock(&m); if (stock > 0) stock = stock - 1;
        pthread_mutex_unlock(&m); }"
    build $level single "$none" "$none" 'pthread_mutex_lock(&m); if (stock > 0) stock = stock - 1;
        pthread_mutex_unlock(&m);'
    build $level other "$none" "$none" "$check if (v > 0) { pthread_mutex_lock(&m); sold = sold + 1;
        pthread_mutex_unlock(&m); }"
    build $level loop "$none" "$none" "for (int k = 0; k < 3; k++) { pthread_mutex_lock(&m);
        stock = stock - 1; pthread_mutex_unlock(&m); }"
    build $level rounds "$none" "$none" "for (int v = 1; v > 0;) { pthread_mutex_lock(&m); more = 0;
        last = v; v = more; pthread_mutex_unlock(&m); }"
    for twin in again single other loop rounds; do
        status 0 "$PF" predict --analysis=pecan $twin.clip
        has out "0 races, 0 atomicity violations"
    done
done
status 2 "$PF" predict --atomic=x "$ROOT/test/trace/basic/locked.txt"
has err "--atomic needs a recording"
