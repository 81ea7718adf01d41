complete -c banksman -n __fish_use_subcommand -a "demo run acp check audit rules export handover import doctor"
complete -c banksman -n "__fish_seen_subcommand_from check" -a "shell sql path display history"
complete -c banksman -n "__fish_seen_subcommand_from audit" -a "verify export"
complete -c banksman -n "__fish_seen_subcommand_from rules" -a "list simulate trust"
