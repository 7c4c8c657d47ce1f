# Control characters in names of threads, files and programs do not reach the terminal: they could
# forge a line of a report.
forged=$'\nSUMMARY: photofinish: nothing wrong'
cp "$ROOT/test/shell/part/hostile_names_named.c" named.c
clean() { # clean FILE: no control characters except newlines
    ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$1" || fail "control characters in $1: $(cat -v "$1")"
    ! grep -q "^SUMMARY: photofinish: nothing wrong" "$1" || fail "a forged line in $1"
    ! grep -q "^SUMMARY'" "$1" || fail "a forged line in $1"
}
mkdir "d$forged"
cp named.c "d$forged/n$forged.c"
"$PF" cc -D_GNU_SOURCE -g -O1 -pthread "d$forged/n$forged.c" -o "p$forged"
status 66 "$PF" run "./p$forged"
has err "\\nSUMMARY"
clean err
status 66 "$PF" check --runs 1 --state "s$forged" --json f.json -- "./p$forged"
clean out
clean err
status 66 "$PF" report --state "s$forged"
clean out
id=$(python3 -c 'import json; print(json.load(open("f.json"))["findings"][0]["id"])')
status 0 "$PF" explain --state "s$forged" "$id"
clean out
clip=$(python3 -c 'import json; print(json.load(open("f.json"))["findings"][0]["clip"])')
[[ -f $clip ]] || fail "no clip: $clip"
status 66 "$PF" hatch "$clip"
clean out
clean err
for about in "" --about; do
    status 0 "$PF" dump $about "$clip"
    clean out
    clean err
done
# Errors.
for verb in replay hatch predict dump; do
    status 2 "$PF" "$verb" "none$forged"
    clean err
done
status 2 "$PF" check -- "./none$forged"
clean err
printf '%s\n' "./none$(printf '\033')[2J" >tests
status 2 "$PF" suite tests
clean err
# Source lines that are quoted.
printf '#include <pthread.h>\nint shared;\nvoid *set(void *p) { shared = 1; /* \033[2J \r */ return p; }\nint main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, set, 0);\n    shared = 2; /* \302\233 */\n    return pthread_join(t, 0);\n}\n' >quoted.c
"$PF" cc -g -O0 -pthread quoted.c -o quoted
status 66 "$PF" run --quiet --state quoted.d --json q.json -- ./quoted
id=$(python3 -c 'import json; print(json.load(open("q.json"))["findings"][0]["id"])')
status 0 "$PF" explain --state quoted.d "$id"
clean out
has out "/* \\x1b[2J \\x0d */"
has out "/* \\x9b */"
