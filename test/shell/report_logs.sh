# pf report on logs: merged, truncated, damaged.
mkdir logs
start() {
    printf '{"type":"start","version":%s,"tool":"photofinish","abi":1,"run":null,"pid":%s,"parent":1,"time":%s,"ticks":1,"exitcode":66,"command":["./p","a b"]}\n' "$1" "$2" "$2"
}
place() { printf '{"function":"%s","file":"a.c","line":%s,"column":1}' "$1" "$2"; }
access() {
    printf '{"thread":"%s","op":"write","size":4,"file":"a.c","line":%s,"column":1,"function":"f","variable":"x","address":"0x10","locks":["m"],"held":[{"name":"m","address":"0x20","mode":"write","stack":[%s]}],"stack":[%s,%s]}' \
        "$1" "$2" "$(place lock 3)" "$(place f "$2")" "$(place main 9)"
}
finding() {
    printf '{"type":"finding","finding":{"id":"%016x","kind":"race","status":"observed","analysis":"fasttrack","class":null,"accesses":[%s,%s],"location":{"kind":"heap","address":"0x10","size":8,"thread":"T0","freed":true,"stack":[%s]},"threads":[{"thread":"T1","name":"w","tid":7,"state":"finished","created_by":"T0","stack":[%s]}],"clip":null,"count":1}}\n' \
        "$1" "$(access T1 "$1")" "$(access T0 5)" "$(place malloc 8)" "$(place main 7)"
}
end() { printf '{"type":"end","how":"exit","findings":1,"suppressed":2,"limits":{%s}}\n' "$1"; }

{
    start 1 100
    finding 1
    printf '{"type":"count","id":"%016x","count":10}\n' 1
    end ""
} >logs/100.1.pflog
{
    start 1 200
    finding 1
    finding 2
    end ""
} >logs/200.2.pflog
echo "not a log" >logs/README
status 66 "$PF" report logs
has out "1 cause (2 findings) in 2 processes"
has out "seen 11 times"
has out "Location is heap block of size 8 at 0x000000000010 (freed) allocated by main thread:"
has out "Thread T1 'w' (tid=7, finished) created by main thread at:"
has out "Mutex M0 'm' (0x000000000020) acquired by thread T1 at:"
status 66 "$PF" report --json logs
python3 - <<'EOF'
import json
d = json.load(open("out"))
assert d["version"] == 1 and d["tool"] == "photofinish" and d["complete"] is True, d
assert d["command"] == ["./p", "a b"], d["command"]
assert [(f["id"][-1], f["count"]) for f in d["findings"]] == [("1", 11), ("2", 1)]
assert d["suppressed"] == 4
f = d["findings"][0]
assert f["accesses"][0]["locks"] == ["m"] and f["location"]["freed"] is True
assert [p["function"] for p in f["accesses"][0]["stack"]] == ["f", "main"]
EOF

# Killed in the middle of a line: the complete lines count, and the result is incomplete.
{
    start 1 300
    finding 3
    finding 4 | head -c 300
} >logs/300.3.pflog
status 66 "$PF" report logs
has out "1 cause (3 findings) in 3 processes"
has out "pf: incomplete: process 300 (./p) was killed before its end"
rm logs/300.3.pflog
{
    start 1 300
    end '"threads beyond the capacity ran unwatched":3'
} >logs/300.3.pflog
status 66 "$PF" report logs
has out "incomplete: process 300 (./p) lost: 3 threads beyond the capacity ran unwatched"
: >logs/300.3.pflog
status 66 "$PF" report logs
has out "1 cause (2 findings) in 2 processes"

# Damaged: the message names the file, the line and what was expected.
bad() {
    cat >logs/300.3.pflog
    status 2 "$PF" report logs
    has err "pf report: logs/300.3.pflog:$1"
}
start 2 300 | bad "1: expected 1 in version"
finding 3 | bad "1: expected one start line, the first"
{ start 1 300; start 1 300; } | bad "2: expected one start line, the first"
{ start 1 300; echo "{"; } | bad "2: expected JSON"
{ start 1 300; echo '[]'; } | bad "2: expected a line with a type"
{ start 1 300; echo '{"type":"strange"}'; } | bad "2: expected start, object, finding, count, died, note, lost, resume or end in type"
{ start 1 300; echo '{"type":"finding"}'; } | bad "2: expected a hexadecimal string in id"
{ start 1 300; finding 3 | sed 's/"op":"write"/"op":"push"/'; } | bad "2: expected a known word in op"
{ start 1 300; finding 3 | sed 's/"line":3/"line":-3/g'; } | bad "2: expected a number in line"
{ start 1 300; finding 3 | sed 's/"thread":"T1"/"thread":"one"/'; } | bad "2: expected a thread, T and a number in thread"
{ start 1 300; printf '{"type":"count","id":"%016x","count":10}\n' 77; } | bad "2: expected the id of a finding above in id"
{ start 1 300; printf '{"type":"count","id":"%016x","count":0}\n' 77; } | bad "2: expected a number above 0 in count"
start 1 300 | sed 's/"pid":300/"pid":"x"/' | bad "1: expected a number in pid"
head -c 100000 /dev/urandom >logs/300.3.pflog
echo >>logs/300.3.pflog
status 2 "$PF" report logs
has err "300.3.pflog:1: expected JSON"

status 2 "$PF" report nowhere
has err "nowhere: No such file"
mkdir empty
status 0 "$PF" report empty
has out "0 findings in 0 processes"
