#!/bin/sh
# export_list.sh READELF ARCHIVE LIST - writes the dynamic list for the linker: every defined symbol of
# the archive with default visibility (the ABI and the interposed functions).
set -eu
{
    echo "{"
    "$1" --symbols --wide "$2" |
        awk '($5 == "GLOBAL" || $5 == "WEAK") && $6 == "DEFAULT" && $7 != "UND" { print "  " $8 ";" }' |
        sort -u
    echo "};"
} >"$3.new"
mv "$3.new" "$3"
