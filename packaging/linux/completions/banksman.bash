# bash completion for banksman

_banksman() {
    local word=${COMP_WORDS[COMP_CWORD]} commands="demo run acp check audit rules export handover import doctor"
    case ${COMP_WORDS[1]} in
        check) [[ $COMP_CWORD == 2 ]] && COMPREPLY=($(compgen -W "shell sql path display history" -- "$word")) ;;
        audit) [[ $COMP_CWORD == 2 ]] && COMPREPLY=($(compgen -W "verify export" -- "$word")) ;;
        rules) [[ $COMP_CWORD == 2 ]] && COMPREPLY=($(compgen -W "list simulate trust" -- "$word")) ;;
        demo) COMPREPLY=($(compgen -W "--auto --screens --theme --size" -- "$word")) ;;
        *) [[ $COMP_CWORD == 1 ]] && COMPREPLY=($(compgen -W "$commands --selftest --version --help" -- "$word")) ;;
    esac
    ((${#COMPREPLY[@]})) || COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _banksman banksman
