# A try that ends with status 0 where the recording failed is a confirmed race without harm. The
# opposite order of the same race has the harm.
cp "$ROOT/test/shell/part/success_is_not_harm.c" ready.c
"$PF" cc -O0 -g ready.c -o ready
status 3 "$PF" record --schedule=rr -o fails.clip -- ./ready
status 66 "$PF" hatch -o fails.d fails.clip
has out "1 real, of these 0 with an error; 0 false"
hasnt out "ended with status 0"

for ((seed = 1; seed <= 100; seed++)); do
    "$PF" record --schedule=random:$seed -o works.clip -- ./ready && break
done
status 0 "$PF" replay works.clip
status 66 "$PF" hatch -o works.d works.clip
has out "1 real, of these 1 with an error; 0 false"
has out "the program ended with status 3"
