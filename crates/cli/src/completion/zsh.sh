#compdef lasthop
# Completion of lasthop in zsh.
_lasthop() {
    local -a lines open closed
    local line value
    lines=("${(@f)$(
        _CLAP_IFS=$'\n' _CLAP_COMPLETE_INDEX=$((CURRENT - 1)) VARIABLE=zsh ${~words[1]} -- "${words[@]}" 2>/dev/null
    )}")
    if [[ -z $lines ]]; then
        _files
        return
    fi
    # A key or a directory is not followed by a space: the word continues.
    for line in $lines; do
        value=${line%%:*}
        if [[ $value == *[=./] ]]; then open+=("$line"); else closed+=("$line"); fi
    done
    (($#open)) && _describe -V values open -S ''
    (($#closed)) && _describe -V values closed
    return 0
}
if [[ ${funcstack[1]} == _lasthop ]]; then _lasthop "$@"; else compdef _lasthop lasthop; fi
