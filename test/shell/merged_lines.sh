# An access that the optimizer has merged from several lines is reported with all of them.
cp "$ROOT/test/shell/part/merged_lines_merged.c" merged.c
status 0 "$PF" cc -O2 -pthread -I"$ROOT/test/program" merged.c -o merged
status 66 "$PF" run --json found.json -- ./merged
has err "set merged.c:6:16 (merged with line 8) (merged)"
has err "SUMMARY: photofinish: data race merged.c:6:16 in set"
has found.json '"merged_lines":[8]'
python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" found.json
# pf report reads the findings and writes them again.
status 66 "$PF" run --state s --quiet -- ./merged
status 66 "$PF" report --state s --json
has out '"merged_lines":[8]'
status 66 "$PF" report --state s
has out "(merged with line 8)"
# At -O0 nothing is merged.
status 0 "$PF" cc -O0 -pthread -I"$ROOT/test/program" merged.c -o merged
status 66 "$PF" run --json found.json -- ./merged
hasnt found.json '"merged_lines"'
has err "set merged.c:6:16 (merged)"
has err "set merged.c:8:16 (merged)"
# The optimizer merges the stores of y and z into one. It has their two lines, not those of the
# stores of x.
status 0 "$PF" cc -g -O2 -pthread "$ROOT/test/shell/part/merged_lines_select.c" -o select
status 66 "$PF" run --json found.json -- ./select
has err "merged_lines_select.c:7:11 (merged with line 10)"
has err "merged_lines_select.c:8:11 (merged with line 11)"
