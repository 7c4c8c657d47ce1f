# Executes docs/tutorial.md: every file and every command.
export PATH="$(dirname "$PF"):$PATH"
[[ -s $BUILD/page/page.html ]] || { echo "skipped: the page of pf report --html was not built"; exit 77; }
status 0 python3 "$ROOT/test/run/tutorial.py" "$ROOT/docs/tutorial.md"
has out "commands"
