import { Option } from "commander";
import { COMMAND_GROUPS } from "../command-tree.js";
import { GLOBAL_OPTIONS } from "../global-flags.js";
import { flagTerms } from "./command-page.js";
import { type HelpPage, termsSection, text } from "./page.js";
import { environmentTerms, exitCodeRows, filesSection } from "./reference.js";

/** The pages of help that are not about one command. */

/** `calctl help commands`. */
export function commandsPage(): HelpPage {
  return COMMAND_GROUPS.flatMap(([heading, entries]) =>
    termsSection(
      heading,
      entries.map(([name, summary]) => [name, summary]),
    ),
  );
}

/** `calctl help flags`: the global flags. */
export function flagsPage(): HelpPage {
  return [
    text("Every command has these flags. They may stand before or after its name, and -- ends all flags."),
    {
      kind: "terms",
      terms: flagTerms([...GLOBAL_OPTIONS, new Option("-h, --help", "show the help of a command")]),
    },
    text(
      "A flag wins over its environment variable (env), and that over the profile. -c may be repeated where several calendars make sense; any other flag is given once. calctl --version prints the version.",
    ),
  ];
}

/** `calctl help environment`: every variable that is read, and where files are. */
export function environmentPage(): HelpPage {
  return [
    text(
      "A flag wins over its variable, and a variable over the profile. An empty variable counts as unset, but an empty CALCTL_TOKEN, CALCTL_TOKEN_FILE, CALCTL_BASE_URL, CALCTL_PROFILE, CALCTL_WEBHOOK_URL, CALCTL_WEBHOOK_URL_FILE or CALCTL_SERVICE_DB is an error (exit 10) where it would be used: a secret was not set.",
    ),
    { kind: "terms", terms: environmentTerms() },
    ...filesSection(),
  ];
}

/** `calctl help exit-codes`: the table of docs/exit-codes.md. */
export function exitCodesPage(): HelpPage {
  return [
    text(
      "A command that fails prints nothing on stdout, except the items that it completed of several; status, doctor and service check print their report and api the body of the response even if they fail. With -o json or ndjson the last line of stderr is the error as JSON, with the code in words.",
    ),
    {
      kind: "terms",
      terms: exitCodeRows().map(({ exitCode, code, when, repeat }) => [
        code === null ? String(exitCode) : `${exitCode} ${code}`,
        `${withoutMarkup(when)}${repeat === "" ? "" : `. Repeat: ${withoutMarkup(repeat)}`}`,
      ]),
    },
  ];
}

/** The tables are Markdown, for docs. */
function withoutMarkup(markdown: string): string {
  return markdown.replaceAll("`", "");
}
