import type { Command } from "commander";
import { commandParts, FIRST_STEPS, runnableCommands, usageOf } from "./command-page.js";
import type { Example, HelpPage, HelpPart } from "./page.js";
import { breakCommand, wrap } from "./page.js";
import { environmentTerms, filesSection } from "./reference.js";
import { exitCodesPage, flagsPage, repeatingPage, sharingPage } from "./topic-pages.js";

export interface ManualOptions {
  readonly version: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** The manual page calctl(1): every command and topic. @see man(7) */
export function manualPage(program: Command, { version, date }: ManualOptions): string {
  return [
    `.TH CALCTL 1 ${date} "calctl ${version}"`,
    // Neither break words at line ends nor stretch lines.
    ".nh",
    ".ad l",
    ".SH NAME",
    `calctl \\- ${escapeRoff("script shared calendars from a shell, a terminal and cron")}`,
    ".SH SYNOPSIS",
    ".B calctl",
    ".I COMMAND",
    "[flags]",
    ...section("DESCRIPTION", [
      { kind: "text", text: program.description() },
      {
        kind: "text",
        text: "calctl COMMAND --help describes one command, and calctl schema all of them as JSON, for programs.",
      },
    ]),
    ".SH COMMANDS",
    ...runnableCommands(program).flatMap(commandLines),
    ...section("REPEATING EVENTS", repeatingPage()),
    ...section("SHARING", sharingPage()),
    ...section("GLOBAL FLAGS", flagsPage()),
    ...section("ENVIRONMENT", [{ kind: "terms", terms: environmentTerms() }]),
    ...section("FILES", filesSection().slice(1)),
    ...section("EXIT STATUS", exitCodesPage()),
    ...section("EXAMPLES", [{ kind: "examples", examples: FIRST_STEPS }]),
    "",
  ].join("\n");
}

/** The usage as heading, then the parts of the help of the command without headings of their own. */
function commandLines(command: Command): readonly string[] {
  const parts = commandParts(command).filter(({ kind }) => kind !== "heading");
  return [`.SS "${escapeRoff(usageOf(command))}"`, ...partsLines(parts)];
}

function section(title: string, page: HelpPage): readonly string[] {
  return [`.SH "${title}"`, ...partsLines(page)];
}

/** A paragraph begins after each part but the first, which follows its heading. */
function partsLines(parts: HelpPage): readonly string[] {
  return parts.flatMap((part, index) => {
    const isFirst = index === 0 || parts[index - 1]?.kind === "heading";
    return [
      ...(isFirst || part.kind === "heading" || part.kind === "terms" ? [] : [".PP"]),
      ...partLines(part),
    ];
  });
}

function partLines(part: HelpPart): readonly string[] {
  switch (part.kind) {
    case "text":
      return textLines(part.text);
    case "heading":
      return [`.SS "${escapeRoff(part.title)}"`];
    case "terms":
      return part.terms.flatMap(([term, meaning]) => [
        ".TP",
        `.B "${escapeRoff(term)}"`,
        ...textLines(meaning),
      ]);
    case "examples":
      return part.examples.flatMap((example, index) => [
        ...(index === 0 ? [] : [".PP"]),
        ...exampleLines(example),
      ]);
  }
}

function exampleLines([purpose, ...commands]: Example): readonly string[] {
  const lines = commands.flatMap((command) => breakCommand(command, MAX_COMMAND));
  return [
    ...textLines(purpose.endsWith("?") ? purpose : `${purpose}:`),
    ".PP",
    ".RS 4",
    ".nf",
    ...lines.map(escapeRoff),
    ".fi",
    ".RE",
  ];
}

/** Columns of a command, with its indentation (4), in 80. */
const MAX_COMMAND = 68;
/** Of a line in the source, before it is escaped. */
const MAX_LINE = 60;

function textLines(text: string): readonly string[] {
  return wrap(text, MAX_LINE).map(escapeRoff);
}

/** Backslashes, hyphens that must stay ASCII, quotes in arguments, and what would be a request at the start of a line. */
function escapeRoff(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll("'", "\\(aq");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
