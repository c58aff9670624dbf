"""Print a script that completes the command line in a shell.

    source <(relay completion bash)                            for the running shell
    relay completion zsh > ~/.zfunc/_relay                     in a folder of $fpath
    relay completion fish > ~/.config/fish/completions/relay.fish

The script completes the names of commands and options, and file names elsewhere.
"""

import argparse
from collections.abc import Callable, Mapping

from relay.cli.main import COMMANDS, options_in, parser_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command-line options."""
    parser.add_argument(
        "shell", choices=SHELLS, metavar="SHELL", help=f"a shell: {', '.join(SHELLS)}"
    )


def execute(options: argparse.Namespace) -> int:
    """Run the command: print the completion script."""
    print(SHELLS[options.shell](options_of_commands()), end="")
    return 0


def options_of_commands() -> dict[str, list[str]]:
    """Return the options of each command, by command name.

    >>> "--shape" in options_of_commands()["compile"]
    True
    """
    return {name: options_in(parser_of(name).format_help()) for name in COMMANDS}


def _bash(options: Mapping[str, list[str]]) -> str:
    cases = "\n".join(
        f'    {name}) words="{" ".join(names)}" ;;' for name, names in options.items()
    )
    return f"""\
_relay() {{
  local words="" word="${{COMP_WORDS[COMP_CWORD]}}"
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="{" ".join(options)}"; fi
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ] || [ "${{word#-}}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  fi
}}
complete -o default -F _relay relay
"""


def _zsh(options: Mapping[str, list[str]]) -> str:
    """Return the completion script for zsh, which reuses the script for bash."""
    return f"#compdef relay\nautoload -U +X bashcompinit && bashcompinit\n{_bash(options)}"


def _fish(options: Mapping[str, list[str]]) -> str:
    lines = [
        f"complete -c relay -n __fish_use_subcommand -f -a {name} -d '{about}'"
        for name, about in COMMANDS.items()
    ]
    for name, names in options.items():
        seen = f"'__fish_seen_subcommand_from {name}'"
        for option in names:
            kind = "l" if option.startswith("--") else "s"
            lines.append(f"complete -c relay -n {seen} -{kind} {option.lstrip('-')}")
    return "\n".join(lines) + "\n"


SHELLS: Mapping[str, Callable[[Mapping[str, list[str]]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
"""The function that returns the script of each shell."""
