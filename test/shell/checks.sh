# Each check script of the tree detects its kind of violation.
mkdir tree
cp -r "$ROOT/script" "$ROOT/src" "$ROOT/ARCHITECTURE.md" "$ROOT/.clang-format" tree
mkdir -p tree/test tree/example tree/bench/results tree/.ci tree/docs
cp -r "$ROOT/docs/ci" "$ROOT/docs/where.md" tree/docs
cd tree
status 0 script/check-layers
echo '#include "cli.h"' >src/report/edge.c
status 1 script/check-layers
has out "src/report/edge.c:1: report may not include src/cli/cli.h"
echo '#include "nobody.h"' >src/report/edge.c
status 1 script/check-layers
has out "included file nobody.h does not exist in src"
rm src/report/edge.c
mkdir src/elsewhere
echo 'int x;' >src/elsewhere/x.c
status 1 script/check-layers
has out "its folder is not in the folder table"
rm -r src/elsewhere
# A call upwards without an include: declared weak, or found in the object files.
printf '__attribute__((weak)) void\npf_race_found(int x);\n' >src/rt/shadow/edge.c
status 1 script/check-layers
has out "src/rt/shadow/edge.c:1: pf_race_found is declared weak"
echo '__attribute__((weak)) void pf_race_found(int x) {}' >src/rt/shadow/edge.c
status 0 script/check-layers
echo 'void pf_race_found(void); void f(void) { pf_race_found(); }' >cell.c
echo 'void pf_race_found(void) {}' >reporter.c
cc -c cell.c -o cell.c.o
cc -c reporter.c -o reporter.c.o
mkdir stage
ar rc stage/libpf_rt.a cell.c.o reporter.c.o
status 1 script/check-layers stage
has out "src/rt/shadow/cell.c: rt/shadow may not use pf_race_found of src/rt/finding/reporter.c"
rm -r stage cell.c reporter.c cell.c.o reporter.c.o src/rt/shadow/edge.c

status 0 script/check-names
cp src/abi/pf_abi.h src/report/
status 1 script/check-names
has err "file name pf_abi.h is in the tree more than once"
rm src/report/pf_abi.h
printf '/* a.c - */\nstruct pf_twice {\n    int x;\n};\n' >src/report/twice_a.c
sed 's/a[.]c/b.c/' src/report/twice_a.c >src/report/twice_b.c
status 1 script/check-names
has err "struct tag pf_twice is in the tree more than once"
echo 'int x;' >src/report/twice_a.c
status 1 script/check-names
has err "src/report/twice_a.c:1: expected a head comment"
{ echo '/* long */'; seq -f '/* %g */' 600; } >src/report/twice_a.c
status 1 script/check-names
has err "src/report/twice_a.c: 601 lines, expected at most 600"
rm src/report/twice_[ab].c

# check-words cannot succeed in this part of the tree, which lacks files that comments name.
printf '/* %0100d */\n' 1 >src/report/wide.c
status 1 script/check-words
has err "src/report/wide.c:1: 106 columns in a comment"
has err "src/report/wide.c:1: docs/where.md has no row that names it"
echo '/* see docs/format/nowhere.md */' >src/report/wide.c
status 1 script/check-words
has err "src/report/wide.c:1: docs/format/nowhere.md does not exist"
echo '`no_such_function`, `no_such_file.c`' >>docs/where.md
status 1 script/check-words
has err "no_such_function is not a name in src"
has err "no_such_file.c does not exist"
echo '/* run so many at a time */' >src/report/wide.c
status 1 script/check-words
has err "src/report/wide.c:1: 'so many'"
rm src/report/wide.c
echo 'made in /work/somewhere' >bench/results/page.md
status 1 script/check-words
has err "bench/results/page.md:1: '/work/...' is a path of one machine"
rm bench/results/page.md

status 0 script/check-calls
printf '/* own.c - */\nvoid *own(void) { return malloc(1); }\n' >src/suite/own.c
status 1 script/check-calls
has out "src/suite/own.c:2: malloc: memory is allocated by src/base"
printf '/* own.c - */\nint own(void) { return fork(); }\n' >src/suite/own.c
status 1 script/check-calls
has out "src/suite/own.c:2: fork: child processes are started by src/process"
rm src/suite/own.c

status 0 script/check-shell
printf -- '---\na: [1\n' >docs/ci/broken.yml
status 1 script/check-shell
has out "broken.yml"
rm docs/ci/broken.yml
printf '#!/bin/bash\nif true; then\n' >script/broken
status 1 script/check-shell
rm script/broken

printf 'int  main( void ) { return 0; }\n' >example/ugly.c
status 123 script/check-format
has err "ugly.c"
