# fish completion for pf. Verbs and options are those that pf's own help texts list.
function __pf_verbs
    pf --help 2>/dev/null | sed -n '/^verbs:/,/^$/s/^  \([a-z+]*\)  *\(.*\)/\1\t\2/p'
end
function __pf_options
    set -l words (commandline -opc)
    contains -- $words[2] cc c++
    or pf $words[2] --help 2>/dev/null | sed -n 's/^  \(-[-a-z]*\)[^ ]*\( [A-Z][A-Z:,=|]*\)*  *\(.*\)/\1\t\3/p'
end
complete -c pf -n __fish_use_subcommand -f -a '(__pf_verbs)'
complete -c pf -n '__fish_seen_subcommand_from help' -f -a '(__pf_verbs)'
complete -c pf -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -a '(__pf_options)'
