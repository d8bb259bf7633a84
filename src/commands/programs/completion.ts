import { Argument, type Command } from "commander";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { TEXT_DOCUMENT } from "../../output/views/plain.js";
import type { Run } from "../../run/run.js";

/** Completes nothing by itself: it asks the program, and hands over what it says without evaluating it. */
const BASH = `# Completion of calctl for bash, by \`calctl completion bash\`.
_calctl() {
  local kind=words reply
  COMPREPLY=()
  {
    IFS= read -r -d '' kind
    while IFS= read -r -d '' reply; do COMPREPLY+=("$reply"); done
  } < <(calctl __complete bash "$COMP_TYPE" "$COMP_WORDBREAKS" "\${COLUMNS:-}" "\${COMP_LINE:0:COMP_POINT}" </dev/null 2>/dev/null)
  if [[ $kind == files ]]; then compopt -o default 2>/dev/null; fi
  return 0
}
complete -o nosort -F _calctl calctl 2>/dev/null || complete -F _calctl calctl
`;

const ZSH = `#compdef calctl
# Completion of calctl for zsh, by \`calctl completion zsh\`.
_calctl() {
  local kind value label
  local -a values labels
  {
    IFS= read -r -d '' kind
    while IFS= read -r -d '' value && IFS= read -r -d '' label; do
      values+=("$value")
      labels+=("$label")
    done
  } < <(calctl __complete zsh "$COLUMNS" "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" </dev/null 2>/dev/null)
  if [[ $kind == files ]]; then
    compset -P '-*='
    _files
  else
    compadd -V calctl -M 'm:{a-zA-Z}={A-Za-z}' -l -d labels -a values
  fi
}
if [[ $funcstack[1] == _calctl ]]; then
  _calctl "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _calctl calctl
fi
`;

const FISH = `# Completion of calctl for fish, by \`calctl completion fish\`.
function __calctl_complete
    set -l records (calctl __complete fish (commandline -pc | string collect -a) </dev/null 2>/dev/null | string split0)
    if test "$records[1]" = files
        set -l token (commandline -ct | string collect -a)
        set -l flag (string match -r -- '^-[^=]*=' $token)
        for path in (complete -C "'' "(string replace -r -- '^-[^=]*=' '' $token | string collect -a))
            printf '%s%s\\0' "$flag" $path
        end
    else
        set -e records[1]
        for record in $records
            printf '%s\\0' $record
        end
    end
end
complete -c calctl -e
complete -c calctl -k -f -a '(__calctl_complete | string split0)'
`;

const POWERSHELL = `# Completion of calctl for PowerShell, by \`calctl completion powershell\`.
Register-ArgumentCompleter -Native -CommandName calctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @()
    $current = ''
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        if ($element.Extent.StartOffset -ge $cursorPosition) { break }
        $text = $element.Extent.Text
        if ($element.PSObject.Properties['Value'] -and $element.Value -is [string]) { $text = $element.Value }
        if ($element.Extent.EndOffset -lt $cursorPosition) {
            $words += $text
        } elseif ($element.Extent.EndOffset -eq $cursorPosition) {
            $current = $text
        } else {
            $current = $element.Extent.Text.Substring(0, $cursorPosition - $element.Extent.StartOffset)
        }
    }
    $json = ConvertTo-Json -Compress -InputObject @($words + $current)
    $encoded = [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($json))
    try {
        $reply = (@(& calctl __complete powershell $encoded 2>$null) -join '') | ConvertFrom-Json
    } catch {
        return
    }
    foreach ($result in $reply.results) {
        [System.Management.Automation.CompletionResult]::new($result.text, $result.shown, 'ParameterValue', $result.tip)
    }
}
`;

/** The script of each shell. */
export const COMPLETION_SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL } as const;

interface CompletionOptions {
  readonly shell: keyof typeof COMPLETION_SCRIPTS;
}

export function registerCompletion(command: Command, runOf: RunOf): void {
  const shell = new Argument("<shell>").choices(Object.keys(COMPLETION_SCRIPTS));
  describeCommand(command.addArgument(shell), {
    prints: "text",
    examples: () => [
      [
        "Install completion for bash or zsh",
        "echo 'source <(calctl completion bash)' >> ~/.bashrc",
        "echo 'source <(calctl completion zsh)' >> ~/.zshrc",
      ],
      [
        "Install completion for fish",
        "mkdir -p ~/.config/fish; echo 'calctl completion fish | source' >> ~/.config/fish/config.fish",
      ],
      [
        "Install it for PowerShell with Add-Content $PROFILE 'calctl completion powershell | Out-String | Invoke-Expression'",
        "calctl completion powershell",
      ],
    ],
  });
  addAction(command, runOf, runCompletion);
}

/** Prints the script of a shell. */
async function runCompletion(run: Run, { shell }: CompletionOptions): Promise<void> {
  await run.output.of(TEXT_DOCUMENT).print(COMPLETION_SCRIPTS[shell]);
}
