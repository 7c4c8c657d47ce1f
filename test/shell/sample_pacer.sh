# Pacer samples periods of time. At rate 1 it finds every race, at rate 0 none; at any rate it
# reports true races only.
cp "$ROOT/test/shell/part/sample_pacer_race.c" race.c
status 0 "$PF" cc -g -O2 -I"$ROOT/test/program" -o race race.c -pthread
for rate in 1 1.0 100%; do
    status 66 "$PF" run --sample=pacer:$rate -- ./race
    has err "Location is global 'shared'"
    hasnt err "global 'guarded'"
    has err "#1 main"
    has err "#1 other"
done
for rate in 0 0% .0; do
    status 0 "$PF" run --sample=pacer:$rate -- ./race
done
# A race is found when its first access was sampled, whether or not the second one was; there are no
# false alarms.
for i in 1 2 3 4 5 6 7 8 9 10; do
    "$PF" run --sample=pacer:0.5 -- ./race >out 2>err || [[ $? == 66 ]]
    hasnt err "global 'guarded'"
done
for rate in "" x 1.5 101% -1 0.5x; do
    status 2 "$PF" run --sample=pacer:$rate -- ./race
    has err "pacer:$rate"
done
status 2 "$PF" run --sample=pacer -- ./race
