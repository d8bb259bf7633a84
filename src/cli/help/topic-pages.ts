import { Option } from "commander";
import { flagTerms } from "../command-facts.js";
import { GLOBAL_OPTIONS } from "../global-flags.js";
import { environmentTerms, filesSection } from "./environment.js";
import { exitCodeRows } from "./exit-codes.js";
import { examplesSection, type HelpPage, termsSection, text } from "./page.js";

/** The texts of help topics. docs has the longer pages. */

/** `calctl help flags`: the global flags. */
export function flagsPage(): HelpPage {
  return [
    text("Every command has these flags. They may stand before or after its name, and -- ends all flags."),
    {
      kind: "terms",
      terms: flagTerms([...GLOBAL_OPTIONS, new Option("-h, --help", "show the help of a command")]),
    },
    text(
      "A flag wins over its environment variable (env), and that over the profile. -c may be repeated where several calendars make sense; any other flag is given once.",
    ),
  ];
}

/** `calctl help output`: formats, and what chooses and shapes them. */
export function outputPage(): HelpPage {
  return [
    text(
      "Data goes to stdout, everything else to stderr. The format is chosen with -o; without it, a terminal gets a table and a pipe gets tsv. Use json or ndjson in scripts: their keys change only with a major version.",
    ),
    ...termsSection("Formats", [
      ["table", "for people, as wide as the terminal"],
      [
        "tsv",
        "one line a value, cells separated by tabs, no header; tab, line feed, CR and backslash are \\t \\n \\r \\\\",
      ],
      ["csv", "RFC 4180 with a header; --csv-safe for spreadsheets"],
      ["json", "one document: an array for a list, an object for a single thing"],
      ["ndjson", "one object a line"],
      ["markdown", "to paste into a chat or an issue; events by day"],
      ["text", "the same for a mail"],
      ["ics", "events as iCalendar"],
    ]),
    text(
      "--fields chooses columns and their order; alone, as the last flag, it lists them. --jq runs a jq program over the JSON, --template renders each item with Liquid. calctl schema describes every shape as JSON Schema.",
    ),
    ...examplesSection([
      ["The week for a spreadsheet", "calctl events list --days 7 -o csv --csv-safe >week.csv"],
      ["Titles with their times", "calctl events list --fields start_local,title"],
      ["Titles of what takes all day", "calctl events list --jq '.[] | select(.all_day).title'"],
      ["A line of your own for each event", "calctl events list --template '{{ title }} {{ start_local }}'"],
    ]),
    text(
      "On a terminal, control characters in text from a service are shown as escapes. Pipes and files get it unchanged.",
    ),
  ];
}

/** `calctl help dates`: how times, days and durations are written. */
export function datesPage(): HelpPage {
  return [
    text(
      "Times are ISO 8601 or English words. How words were read is printed on stderr. Without an offset, a time is in --timezone: by default the profile's zone, then TZ, then that of the machine. --strict-dates refuses words.",
    ),
    ...termsSection("Times", [
      ["YYYY-MM-DDTHH:MM", "ISO 8601, also with a space instead of the T"],
      ["YYYY-MM-DDTHH:MM+09:00", "with an offset it is the same everywhere"],
      ["15:00, 3pm, at 11, noon", "today; tonight 8pm"],
      ["+2h, +1h 30m, in 2 days", "from now"],
      ["tomorrow 3pm", "the day and the time; day after tomorrow, in two weeks"],
      ["fri 9:30", "the coming Friday; next friday is never today"],
      ["24 dec 15:00", "this year, or the next one if the day is over"],
      ["YYYY-MM-DD, today, fri, 24 dec", "a day, for --all-day"],
      ["next week, this weekend", "several days, for --on, --from and --to"],
    ]),
    ...termsSection("Durations", [
      ["90m, 1.5h, 1h 30m", "hours and minutes"],
      ["2d, 1w", "whole days, the only ones for all-day events"],
    ]),
    text(
      "The last day of an all-day event is part of it. A local time that a clock change skips or repeats is an error that offers both offsets. So is what may be read in two ways: 03/04/2026, fri 11, at 8.",
    ),
    ...examplesSection([
      [
        "Tomorrow, for an hour and a half",
        'calctl events create -c Work --title Review --start "tomorrow 3pm" --duration 1.5h',
      ],
      [
        "Three whole days",
        'calctl events create -c Family --title Trip --all-day --start "24 dec" --end "26 dec"',
      ],
    ]),
  ];
}

/** `calctl help login`: how to get a token, and which one is used. */
export function loginPage(): HelpPage {
  return [
    text(
      "The profile local is an embedded service on this machine. It needs no login. For any other service, calctl needs a token: calctl login gets one and stores it in the keychain of the system, as the profile that is then in use.",
    ),
    text(
      "A service that says where to sign in needs only its address, and the browser opens. Any other needs an OAuth application: register one there, with the redirect URI http://127.0.0.1/callback. Over ssh, add --no-browser: open the printed address anywhere, and paste the address of the last page. With a personal access token you need neither.",
    ),
    ...examplesSection([
      ["With a browser", "calctl login --base-url https://calendar.example/api"],
      [
        "With a personal access token from a file",
        "calctl login --with-token --base-url https://calendar.example/api <token-file",
      ],
      [
        "Without a keychain, as in a container",
        "calctl login --with-token --insecure-storage --base-url https://calendar.example/api <token-file",
      ],
      ["Did it work?", "calctl status"],
      ["Use the embedded service once", "calctl calendars -p local"],
    ]),
    ...termsSection("The token is the first of these", [
      ["CALCTL_TOKEN", "the token itself"],
      ["CREDENTIALS_DIRECTORY", "its file calctl-token, from systemd"],
      ["CALCTL_TOKEN_FILE", "a file that has it"],
      ["token_command", "of the profile: what a program prints"],
      ["calctl login", "what it stored"],
    ]),
    text(
      "A token is sent only to the service that it was stored for. One from the environment goes to CALCTL_BASE_URL or, without that, to the profile in use. The flags of login: calctl login --help",
    ),
  ];
}

/** `calctl help cron`: what a job without a person needs. */
export function cronPage(): HelpPage {
  return [
    text(
      "calctl post sends events to a chat, calctl remind announces each before it starts, and with --once each digest goes out at most once. Nothing is written when all went well, so cron mails only what is wrong. calctl doctor checks that everything is there, and prints the line for the crontab. docs/cron.md has more lines, units of systemd and a workflow.",
    ),
    text(
      "calctl never prompts unless it runs on a terminal: what is missing is an error that names it (exit 2). Notes go to stderr, which cron mails; -q leaves them out.",
    ),
    text(
      "cron runs with few variables, in no session of a desktop, so the keychain is locked. Give calctl the token in a file that only its user can read, and set PATH, HOME and the zone:",
    ),
    {
      kind: "examples",
      examples: [
        ["The day to a chat, and what would be sent", "calctl post --as slack --once --dry-run"],
        [
          "Every five minutes: what begins soon",
          "calctl remind --before 15m -- sh -c 'echo \"$CALCTL_EVENT_TITLE\"'",
        ],
        [
          "The token, where there is no session",
          "(umask 077; calctl token >token-file)",
          'CALCTL_TOKEN_FILE="$PWD/token-file" calctl events list --timezone Asia/Tokyo',
        ],
        ["Nothing on days without events, and exit 3", "calctl events list --fail-empty -q || [ $? -eq 3 ]"],
        [
          "A short wait for a rate limit, more retries for the network",
          "calctl events list --max-wait 10 --retries 6",
        ],
      ],
    },
    text(
      "Choose the service and the calendar by name (-p, -c), so that a change elsewhere does not change the job. In scripts use whole ids and -o json, and decide by exit code: 8 may be repeated, 9 must be looked at first (calctl help exit-codes).",
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
