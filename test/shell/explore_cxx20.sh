# Systematic exploration of what C++20 builds on std::atomic::wait.
"$PF" c++ -std=c++20 -g -O1 -pthread "$ROOT/test/shell/part/explore_cxx20.cpp" -o cxx20
explored() { # explored STATUS CASE OUTPUT...: the case is explored completely and prints these texts
    status "$1" "$PF" explore --json found.json -- ./cxx20 "$2"
    has out "complete for this input"
    python3 - "${@:3}" <<'END'
import json, sys
found = {(r["output"], r["end"]) for r in json.load(open("found.json"))["exploration"]["results"]}
want = {tuple((w + "|").split("|")[:2]) for w in sys.argv[1:]}
assert found == want, (found, want)
END
}
explored 0 notified $'1\n'
explored 66 forgotten "" "|deadlock"
explored 0 semaphore $'1\n'
explored 0 latch $'passed\n'
