import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** What goes wrong between a client and a service, line by line. Each line is tested under its own number. */
const CHECKLIST = [
  ["C1", "each failure x GET, POST, PUT, DELETE: requests seen, exit code, sentence"],
  ["C2", "a POST reaches the service at most once, unless it surely never arrived or was refused with 429"],
  ["C3", "DELETE: lost after it was sent, then 404 is success; 404 at first is not found"],
  ["C4", "429 with every kind of advice on when to come back, clocks apart by an hour, one run in real time"],
  ["C5", "parallel commands share one limit; Ctrl-C ends a wait at once"],
  ["C6", "a budget for the time of a whole command"],
  ["C7", "redirects: the token stays within its origin, writes are not sent again, circles end"],
  ["C8", "proxies: every way to write them, refusals, silence, exceptions; loopback never goes through one"],
  ["C9", "TLS: self-signed, expired, wrong host; a further authority works"],
  ["C10", "bodies: empty, another format, charset or encoding, hostile JSON, missing and inexact members"],
  ["C11", "no text of a service drives a terminal"],
  ["C12", "CSV, ICS and YAML read back by other parsers"],
  ["C13", "no secret in any output, with --debug too"],
  ["C14", "read-modify-write: the rest stays, unknown attributes do no harm, another's change is noticed"],
] as const;

/** Lines that are refused, with the reason in the record. */
const REFUSED: ReadonlySet<string> = new Set(["C6", "C12"]);
const RECORD = "docs/decisions/2026-11-21-what-the-fault-tests-leave-out.md";

test.each(CHECKLIST)("%s is tested or refused: %s", (line) => {
  if (REFUSED.has(line)) expect(readFileSync(RECORD, "utf8")).toContain(`**${line}, `);
  else expect(titlesOfTests().filter((title) => title.split(" ").includes(line))).not.toEqual([]);
});

/** Every title of a test or a group that begins with a line of the checklist. */
function titlesOfTests(): readonly string[] {
  const files = readdirSync("test", { recursive: true, encoding: "utf8" });
  const sources = files
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => readFileSync(join("test", file), "utf8"));
  return sources.flatMap((source) => source.match(/(?<=\(\s*["'`])(?:C\d+ )+/g) ?? []);
}
