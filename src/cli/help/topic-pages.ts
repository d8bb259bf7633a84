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
    text("Every command accepts these flags, before or after its name. -- ends the flags."),
    {
      kind: "terms",
      terms: flagTerms([...GLOBAL_OPTIONS, new Option("-h, --help", "show the help of a command")]),
    },
    text(
      "A flag overrides its environment variable (env), which overrides the profile. Commands that read several calendars accept -c more than once; all other global flags are given once. calctl --version prints the version.",
    ),
  ];
}

/** `calctl help environment`: every variable that is read, and where files are. */
export function environmentPage(): HelpPage {
  return [
    text(
      "A flag overrides its variable, which overrides the profile. An empty variable counts as unset, except that an empty CALCTL_TOKEN, CALCTL_TOKEN_FILE, CALCTL_BASE_URL, CALCTL_PROFILE, CALCTL_WEBHOOK_URL, CALCTL_WEBHOOK_URL_FILE or CALCTL_SERVICE_DB is an error (exit 10) when it would be used, as it usually means a missing secret.",
    ),
    { kind: "terms", terms: environmentTerms() },
    ...filesSection(),
  ];
}

/** `calctl help exit-codes`: the table of docs/exit-codes.md. */
export function exitCodesPage(): HelpPage {
  return [
    text(
      "A command that fails prints nothing on stdout, except that of several items it prints those that succeeded; status, doctor and service check print their report and api the body of the response even if they fail. With -o json or ndjson the last line of stderr is the error as JSON, with the code as a word.",
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
