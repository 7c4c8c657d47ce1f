# A race that the recording itself shows is a finding, also if no prediction leads to it: the thread
# inserts a node with code of the C++ library that has no events, so no schedule can be predicted
# in which the look-up reads the node earlier. The recording is the clip.
"$PF" c++ -g -O2 -fno-inline -DORDER_FREE -I"$ROOT/test/program" \
    "$ROOT/test/program/cxx/map_racy.cpp" -o map
status 0 "$PF" record --schedule=pct:1,1 -o map.clip -- ./map # the insertion comes first
status 66 "$PF" predict --analysis=hb map.clip
status 66 "$PF" hatch --json h.json map.clip
has out "hatch: 3 races that the recording itself shows"
has out "hatch: 0 candidates: 0 real, of these 0 with an error; 0 false"
has out "replay it with: pf replay map.clip"
python3 - <<'P'
import json
d = json.load(open("h.json"))
assert len(d["findings"]) == 3
for f in d["findings"]:
    assert f["status"] == "confirmed" and f["clip"] == "map.clip", f
    assert f["kind"] == "race" and "map_racy.cpp" in json.dumps(f["accesses"]), f
assert d["explored"]["candidates"] == 0 and d["explored"]["undecided"] == 0, d["explored"]
P
[[ -z $(ls map.clip.hatched) ]] || fail "clips: $(ls map.clip.hatched)"
status 0 "$PF" replay --quiet map.clip
# Known ones are left out.
python3 -c 'import json; [print(f["id"]) for f in json.load(open("h.json"))["findings"]]' >known
status 0 "$PF" hatch --known known map.clip
hasnt out "the recording itself shows"
# A check finds it even if no free run does.
status 66 "$PF" check --runs 6 --time 60s --json c.json -- ./map
python3 - <<'P'
import json
found = json.load(open("c.json"))["findings"]
assert found and all(f["status"] == "confirmed" for f in found), found
assert any(s["stage"] == "hatch" for f in found for s in f["stages"]), found
P
