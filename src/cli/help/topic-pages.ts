import { Option } from "commander";
import { COMMAND_GROUPS } from "../command-tree.js";
import { GLOBAL_OPTIONS } from "../global-flags.js";
import { flagTerms } from "./command-page.js";
import { examplesSection, type HelpPage, termsSection, text } from "./page.js";
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

/** `calctl help repeating`, on one screen. */
export function repeatingPage(): HelpPage {
  return [
    text(
      "--repeat makes an event a series. Lists show each occurrence with an id of its own; --scope says which occurrences to change or delete.",
    ),
    ...termsSection("Create", [
      ["--repeat RULE", "daily, weekly on mon, every 2 weeks, monthly on the last fri"],
      ["--until, --count", "last day, or number of occurrences (else it never ends)"],
      ["--copies", "single events instead of a series, for any service"],
    ]),
    ...termsSection("Change or delete", [
      ["--scope this", "this occurrence"],
      ["--scope following", "this and all later ones; they become a series of their own"],
      ["--scope all", "all occurrences, past ones, too"],
    ]),
    ...examplesSection("Examples", [
      [
        "Every Monday, ten times",
        'calctl events create -c Work --title Standup --start "mon 9:30" --repeat "weekly on mon" --count 10',
      ],
      [
        "Move one occurrence by a day, then delete all from there on",
        'id="$(calctl events list -c Work --days 30 --search Standup --fields id | tail -n 1)"',
        'calctl events update "$id" --scope this --by +1d',
        'calctl events delete "$id" --scope following --yes',
      ],
    ]),
  ];
}

/** `calctl help sharing`, on one screen. */
export function sharingPage(): HelpPage {
  return [
    text(
      "Members and labels belong to a calendar. Change them in the app of the service; for the embedded service, use calctl service.",
    ),
    ...termsSection("What to share, and how", [
      ["calendars", "members can read and change everything in a calendar"],
      ["members", "attend events (--attendee NAME); free --with NAME finds common times"],
      ["labels", "ten colors, with the same names for all members: --label NUMBER"],
      ["feeds", "read-only page and iCalendar, for anyone with the secret address"],
    ]),
    ...examplesSection("Examples", [
      ["The members and labels of a calendar", "calctl members -c Family", "calctl labels -c Family"],
      [
        "Add a member to a calendar of the embedded service, and name a label",
        "calctl service members add Caro -c Club",
        "calctl service labels set 3 -c Club --name Match",
      ],
      ["Publish only busy times, for colleagues", 'calctl feeds add -c Work --busy-only --name "Ana: busy"'],
    ]),
  ];
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
