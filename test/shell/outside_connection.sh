# shellcheck shell=bash
# Runs from a checkpoint do not use connections to other processes, unless --allow-outside permits
# it.
part="$ROOT/test/shell/part"
"$PF" cc -g -O1 -pthread "$part/outside_connection.c" -o asks
"$PF" cc -g -O1 -pthread -DINSIDE "$part/outside_connection.c" -o both
# counts the connections
python3 - "$PWD/place" "$PWD/count" "$PWD/ready" <<'END' &
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(64)
open(sys.argv[3], "w").close()
n = 0
while True:
    c, _ = s.accept()
    n += 1
    open(sys.argv[2], "w").write(str(n))
    if c.recv(1) == b"q":
        break
END
server=$!
while [[ ! -e ready ]]; do sleep 0.05; done
status 0 "$PF" explore --json refused.json -- ./asks "$PWD/place"
has out "a call that a private run cannot make: using a connection to another process (--allow-outside permits it)"
hasnt out "complete for this input"
[[ ! -e count ]] || fail "an explored run has connected: $(cat count)"
status 0 "$PF" explore --allow-outside --runs 4 -- ./asks "$PWD/place"
(($(cat count) >= 1)) || fail "--allow-outside does not let a run connect"
before=$(cat count)
# a recording and a free run of a check do what the program does; its other schedules do not
status 0 "$PF" check --runs 3 --quiet --state s -- ./asks "$PWD/place"
(($(cat count) <= before + 12)) || fail "schedules of a check have connected: $before, then $(cat count)"
python3 -c 'import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.send(b"q")' "$PWD/place"
wait $server
# a connection within the process is not outside
status 0 "$PF" explore --runs 20 -- ./both "@photofinish.$$"
hasnt out "a call that a private run cannot make"
hasnt out "in schedule"
# a run that binds a name in the file system is refused: the name would not be private
status 0 "$PF" explore --runs 20 -- ./both "$PWD/own"
has out "a call that a private run cannot make"
