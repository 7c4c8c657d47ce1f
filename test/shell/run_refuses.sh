# pf run refuses programs that it cannot watch, with the reason, before anything runs.
status 2 "$PF" run
has err "no program given"
status 2 "$PF" run -- ""
has err "the name of the program is empty"
status 2 "$PF" record -o "" -- ./missing
has err "the value of -o is empty"
status 2 "$PF" run -- ./missing
has err "./missing: No such file"
status 2 "$PF" run -- surely-not-in-path
has err "not found in PATH"
touch plain
status 2 "$PF" run -- ./plain
has err "./plain: not executable"
chmod +x plain
status 2 "$PF" run -- ./plain
has err "./plain: not an ELF program"
status 2 "$PF" run -- ./
has err "./: is a directory"
printf '#!/bin/sh\necho it ran\n' >script
chmod +x script
status 2 "$PF" run -- ./script
has err "is a script"
has err "--any"
hasnt out "it ran"
cp /bin/true native
status 2 "$PF" run -- ./native
has err "not instrumented"
head -c 100 /bin/true >cut
chmod +x cut
status 2 "$PF" run -- ./cut
has err "not instrumented"

# --any runs them, and says when nothing was watched.
status 2 "$PF" run --any -- ./script
has out "it ran"
has err "no instrumented process ran"

# Another ABI version and a missing instrumentation have different messages.
printf 'int main(void) { return 0; }\n' >one.c
status 0 "$PF" cc -o one one.c
status 0 "$PF" run -- ./one
python3 - <<'EOF'
import re
data = bytearray(open("one", "rb").read())
data[re.search(rb"photofinish\0[\1-\x20]\0\0\0", data).start() + 12] = 99
open("other", "wb").write(data)
EOF
chmod +x other
status 2 "$PF" run -- ./other
has err "version 99"

# Wrong usage of pf itself.
status 2 "$PF"
has err "usage: pf"
status 2 "$PF" rnu
has err "did you mean 'run'?"
status 2 "$PF" xyzzy
has err "unknown verb 'xyzzy'"
status 0 "$PF" --help
status 2 "$PF" run --jsno x -- ./one
has err "did you mean --json?"
status 2 "$PF" run --quiet=1 -- ./one
has err "takes no value"
status 2 "$PF" run --json
has err "needs a value"
status 2 "$PF" run --sample=half -- ./one
has err "--sample=half: expected"
status 2 "$PF" run --json /nonexistent/x.json -- ./one
has err "/nonexistent/x.json"
status 2 "$PF" run --log one.c -- ./one
has err "one.c: Not a directory"
status 0 "$PF" --help
has out "usage: pf"
# The manual page lists every verb.
verbs=$(sed -n '/^verbs:/,/^$/s/^  \([a-z+]*\) .*/\1/p' out)
[[ $(wc -w <<<"$verbs") -ge 17 ]] || fail "verbs of --help: $verbs"
for verb in $verbs; do
    grep -Eq "^\.BR? .*\b${verb//+/\\+}" "$ROOT/man/pf.1" || fail "man/pf.1 does not list $verb"
done
status 0 "$PF" --version
has out "photofinish "
status 0 "$PF" run --help
has out "--suppressions"
