# Completion of lasthop in bash.
_lasthop() {
    # bash splits words at = and : too; the program gets them whole, and bash the part behind the last split.
    local IFS=$'\013' rest=$COMP_LINE words=() before= current= index=0 word i
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $i == 0 || -z $word || $rest == [[:space:]]* ]]; then
            words+=("$word")
            rest=${rest#"${rest%%[![:space:]]*}"}
            [[ $i == "$COMP_CWORD" ]] && before=
        else
            [[ $i == "$COMP_CWORD" ]] && before=${words[${#words[@]} - 1]}
            words[${#words[@]} - 1]+=$word
        fi
        rest=${rest#"$word"}
        if [[ $i == "$COMP_CWORD" ]]; then
            [[ $word == [=:]* ]] && before+=$word
            index=$((${#words[@]} - 1))
            current=$before$2
        fi
    done
    words[index]=$current
    COMPREPLY=($(
        _CLAP_IFS="$IFS" _CLAP_COMPLETE_INDEX=$index VARIABLE=bash "${1/#\~/$HOME}" -- "${words[@]}" 2>/dev/null
    ))
    [[ ${#COMPREPLY[@]} == 0 ]] && return
    if [[ -e ${COMPREPLY[0]/#\~/$HOME} ]]; then
        compopt -o filenames 2>/dev/null
    elif [[ ${COMPREPLY[0]} == *[=.] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
complete -o nosort -o bashdefault -o default -F _lasthop lasthop 2>/dev/null ||
    complete -o bashdefault -o default -F _lasthop lasthop
