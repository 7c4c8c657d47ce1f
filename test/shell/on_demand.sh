# Event bodies on demand: a recording has the same events and the same schedule as with event bodies
# in the program.
part=$ROOT/test/shell/part
export XDG_CACHE_HOME=$PWD/cache
unset PF_PLUGIN_ON_DEMAND

# build NAME FLAG... -- FLAG...: the program and a library, with and without --on-demand. The last
# flags are for the linker.
build() {
    local name=$1 compile=()
    shift
    while [[ $1 != -- ]]; do
        compile+=("$1")
        shift
    done
    shift
    for way in "" --on-demand; do
        "$PF" c++ $way "${compile[@]}" -pthread "$part"/on_demand_{main,part}.cpp -o "$name$way" "$@"
    done
}
# The events with their sites, without addresses.
events() { "$PF" dump "$1" | sed 's/{.*}//; s/sync_[0-9a-f]*//; s/0x[0-9a-f]*//; s/=[0-9]\{6,\}//'; }
# same NAME ARGUMENT...: both programs record the same events, and the recording can be replayed.
same() {
    local name=$1
    shift
    for seed in 1 2; do
        for way in "" --on-demand; do
            status 0 "$PF" record --trace --schedule=random:$seed -o c$way$seed.clip -- "./$name$way" "$@"
            mv out "printed$way"
            events c$way$seed.clip >"events$way"
        done
        cmp printed printed--on-demand
        cmp events events--on-demand
        [[ $(wc -l <events) -gt 500 ]]
        status 0 "$PF" replay -- c--on-demand$seed.clip
        cmp out printed
    done
}

build O2 -O2 -g -- -ldl
[[ $(size -A O2--on-demand | awk '$1 == ".text" {print $2}') -lt $(size -A O2 | awk '$1 == ".text" {print $2}') ]]
same O2
# compiled once, and marked as used
[[ $(ls cache/photofinish/* | wc -l) == 1 ]]
made=$(stat -c %i cache/photofinish/*/*)
touch -d 2001-01-01 cache/photofinish/*/*
same O2
[[ $(stat -c %i cache/photofinish/*/*) == "$made" ]]
[[ $(date -r cache/photofinish/*/* +%Y) != 2001 ]]
# another build of pf does not use it
mkdir -p other/lib
cp -r "$(dirname "$PF")" other/bin
cp -r "$(dirname "$PF")/../lib/photofinish" other/lib
echo >>other/lib/photofinish/pf-bodies
status 0 other/bin/pf record -o other.clip -- ./O2--on-demand
[[ $(ls cache/photofinish | wc -l) == 2 ]]
# the oldest are removed when the cache is full, but not what was just used
status 0 env PF_CACHE_MB=0 "$PF" record -o c.clip -- ./O2--on-demand
touch -d 2001-01-01 cache/photofinish/*/*
mkdir cache/photofinish/0.0.1
printf x >cache/photofinish/0.0.1/libpf_bodies.0123.0.so
touch -d 2000-01-01 cache/photofinish/0.0.1/*
status 0 env PF_CACHE_MB=0 "$PF" record -o c.clip -- ./O2--on-demand
[[ $(ls cache/photofinish | wc -l) == 1 ]] || fail "$(ls cache/photofinish)"
[[ $(ls cache/photofinish/* | wc -l) == 1 ]]

# link-time optimisation: the flag has no effect, and pf cc says so
status 0 "$PF" c++ --on-demand -flto -O2 -g -pthread "$part"/on_demand_{main,part}.cpp -o lto -ldl
has err "--on-demand has no effect with -flto"
"$PF" c++ -flto -O2 -g -pthread "$part"/on_demand_{main,part}.cpp -o lto-plain -ldl
cmp <(objdump -d lto | tail -n +4) <(objdump -d lto-plain | tail -n +4)
status 0 "$PF" record -o lto.clip -- ./lto
status 0 "$PF" replay -- lto.clip

build O0 -O0 -- -ldl
same O0
build fixed -O1 -g -gz -fno-pie -- -no-pie -Wl,--gc-sections -ldl
same fixed
build sections -O2 -ffunction-sections -fdata-sections -- -Wl,--gc-sections -ldl
same sections

# a library, also one that is loaded later, of which two copies have the same code
for way in "" --on-demand; do
    mkdir "lib$way"
    "$PF" c++ $way -O2 -g -fPIC -shared "$part/on_demand_part.cpp" -o "lib$way/libpart.so"
    cp "lib$way/libpart.so" "lib$way/later.so"
    "$PF" c++ $way -O2 -g -pthread "$part/on_demand_main.cpp" -o "shared$way" -L"lib$way" -lpart -Wl,-rpath,"$PWD/lib$way" -ldl
done
same shared
for way in "" --on-demand; do
    "$PF" c++ $way -O2 -g -fPIC -shared -DLATER "$part/on_demand_part.cpp" -o "lib$way/later.so"
done
mkdir run run--on-demand
for way in "" --on-demand; do
    cp "shared$way" run$way/shared
    cp "lib$way/later.so" run$way/later.so
    (cd run$way && "$PF" record --trace -o ../later$way.clip -- ./shared ./later.so >../printed$way)
    "$PF" replay -- later$way.clip >again
    cmp again printed$way
    events later$way.clip | grep on_demand_part.cpp | cut -d' ' -f2- >events$way
done
[[ $(wc -l <events) -gt 50 ]]
cmp printed printed--on-demand
cmp events events--on-demand

# a static library
for way in "" --on-demand; do
    "$PF" c++ $way -O2 -c "$part/on_demand_part.cpp" -o part.o
    rm -f libpart.a
    ar rc libpart.a part.o
    "$PF" c++ $way -O2 -pthread "$part/on_demand_main.cpp" libpart.a -o archive$way -ldl
done
same archive

# stripped: refused, unless the cache has the bodies
strip O2--on-demand -o stripped
status 0 "$PF" record -o stripped.clip -- ./stripped
rm -r cache
status 2 "$PF" record -o stripped.clip -- ./stripped
has err "stripped of its IR"
# free mode needs no bodies
status 0 "$PF" run -- ./stripped
# a cache that cannot be written
export XDG_CACHE_HOME=/proc/nowhere
export TMPDIR=$PWD/tmp
folder=$TMPDIR/photofinish-$(id -u)
mkdir tmp
status 0 "$PF" record -o elsewhere.clip -- ./O2--on-demand
[[ $(stat -c %a "$folder") == 700 ]]
# a folder in which another user could have placed bodies is refused
refused() {
    status 2 "$PF" record -o elsewhere.clip -- ./O2--on-demand
    has err "$folder: not used as the cache of event bodies"
}
chmod 770 "$folder"
refused
status 0 "$PF" record -o elsewhere.clip -- ./O2 # needs no cache
chmod 755 "$folder"
status 0 "$PF" record -o elsewhere.clip -- ./O2--on-demand
[[ $(stat -c %a "$folder") == 700 ]]
mv "$folder" tmp/real
ln -s real "$folder"
refused
rm "$folder"
mv tmp/real "$folder"
if [[ $(id -u) == 0 ]]; then
    chown 65534 "$folder"
    refused
    chown 0 "$folder"
fi
status 0 "$PF" record -o elsewhere.clip -- ./O2--on-demand
