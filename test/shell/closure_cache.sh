# Reachable sets of missing calls are cached from call to call
# (src/rt/direct/reach/closure_cache.h). With the option reach=check, sets are cached wherever
# possible, and the program ends with status 70 if a set lacks something that a walk finds.
cp "$ROOT/test/shell/part/closure_cache_main.c" main.c
echo 'nothing nothing' >globals.txt # these functions reach no variables except through their arguments
# case NAME RACES 'link' ['await']: pf predict must predict RACES races, with and without cached
# sets
case_() {
    "$PF" cc -O1 -g -fno-inline "-DLINK=$3" "-DAWAIT=${4:-miss_await(two)}" main.c -o "$1" -pthread -Wno-unused-function
    for way in check full; do
        status 0 env PF_OPTIONS=reach=$way "$PF" record --trace --exclude='miss_*,last' --globals globals.txt -o "$1.clip" -- "./$1"
        hasnt err "too small"
        status $(($2 ? 66 : 0)) "$PF" predict "$1.clip"
        has out "predict: $2 race"
    done
}
case_ written 0 'n = fresh(); one->head = n; LOOK; two->head = n; LOOK'
# the memory that was written is unmapped when the set is used next
case_ unmapped 0 'one->head = two->head = fresh(); char *b = malloc(4 << 20); one->number = (long)b; LOOK; strcpy(b, "one"); one->number = 0; free(b); LOOK'
case_ deep 0 'one->head = fresh(); two->head = fresh(); LOOK; n = fresh(); one->head->next = n; LOOK; two->head->next = n; LOOK'
case_ copied 0 'n = fresh(); struct list l = {0, n}; memcpy(one, &l, sizeof l); LOOK; memmove(two, &l, sizeof l); LOOK'
case_ bytes 0 'n = fresh(); LOOK; for (int i = 0; i < 8; i++) ((volatile char *)&one->head)[i] = ((char *)&n)[i]; two->head = n; LOOK'
case_ linked 0 'n = fresh(); miss_link(one, n); LOOK; miss_link(two, n); LOOK'
case_ pushed 0 'miss_push(one), miss_push(one); LOOK; miss_move(two, one); LOOK'
case_ called_back 0 'spare = fresh(); LOOK; miss_apply(one, give), miss_apply(two, give); LOOK'
case_ made_in_callback 0 'miss_apply(one, fresh); LOOK; two->head = one->head; LOOK'
case_ freed 0 'n = fresh(); one->head = n; LOOK; one->head = NULL; free(n); for (int i = 0; i < 300; i++) free(fresh()); n = fresh(); n->next = fresh(); LOOK; one->head = n; two->head = n->next; LOOK'
# Separate sets stay separate.
case_ apart 1 'one->head = fresh(), two->head = fresh(); LOOK; miss_push(one), miss_push(two); LOOK' 'miss_look(two)'
