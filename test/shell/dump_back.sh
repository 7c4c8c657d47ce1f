# The output of pf dump can be read back: values up to the largest, reads of values that no event
# wrote (arguments of a variadic function), variables larger than the space of a name, a source file
# with a space in its name.
mkdir "my part"
cp "$ROOT/test/shell/part/dump_back_values.c" "my part/a #1.c"
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
