import { describe, expect, test } from "vitest";
import type { Label } from "../../contract/shapes.js";
import { serviceClientView } from "../../service/views/service.js";
import { statusView } from "../../src/commands/account/view.js";
import { CliError } from "../../src/errors.js";
import { labelView } from "../../src/events/views/calendar.js";
import {
  createOutput,
  effectiveFormat,
  type FormatChoice,
  type OutputOptions,
  type OutputTarget,
} from "../../src/output/output.js";
import type { View } from "../../src/output/view.js";
import { JSON_DOCUMENT, JSON_LINE } from "../../src/output/views/plain.js";
import { WORK_LABEL } from "./fixtures.js";
import { rendered, VIEWER } from "./rendered.js";

const flag = (name: string): FormatChoice => ({ name, source: "flag", label: "--output" });
const variable = (name: string): FormatChoice => ({ name, source: "environment", label: "CALCTL_OUTPUT" });

const DEFAULTS = { fields: undefined, csvSafe: false, program: null, ...VIEWER };

function target(isTerminal: boolean, write: OutputTarget["write"] = async () => undefined): OutputTarget {
  return {
    isTerminal,
    columns: isTerminal ? 80 : undefined,
    color: false,
    unicode: true,
    isClosed: false,
    write,
  };
}

/** The usage error for invalid options, thrown before anything is printed. */
function refusal(
  options: Partial<OutputOptions>,
  view = labelView,
): { message: string; hint: string | undefined } {
  try {
    createOutput(view, { format: null, ...DEFAULTS, ...options }, target(false));
  } catch (error) {
    if (error instanceof CliError && error.code === "usage")
      return { message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error("it was not refused");
}

describe("the format", () => {
  test.each<[string, FormatChoice | null, boolean, string]>([
    ["on a terminal", null, true, "table"],
    ["in a pipe", null, false, "tsv"],
    ["from the flag", flag("json"), true, "json"],
    ["from the environment", variable("ndjson"), true, "ndjson"],
    ["as a table in a pipe", flag("table"), false, "table"],
    ["that the command does not have, from the environment, on a terminal", variable("ics"), true, "table"],
    ["that the command does not have, from the environment, in a pipe", variable("ics"), false, "tsv"],
    ["that is a wrong word", flag("xml"), false, "tsv"],
    ["that is a name every object has", flag("toString"), false, "tsv"],
  ])("%s", (_, format, isTerminal, expected) => {
    expect(effectiveFormat({ format }, { isTerminal })).toBe(expected);
  });

  const hint = "formats: table, tsv, csv, json, ndjson, markdown, text";

  test.each<[FormatChoice, string]>([
    [flag("xml"), '--output: "xml" is not an output format'],
    [variable("xml"), 'CALCTL_OUTPUT: "xml" is not an output format'],
    [flag(""), '--output: "" is not an output format'],
    [flag("JSON"), '--output: "JSON" is not an output format'],
    [flag("ics"), '--output: label output has no format "ics"'],
  ])("%o is rejected with a list of the formats", (format, message) => {
    expect(refusal({ format })).toEqual({
      message,
      hint: format.name === "ics" ? hint : `${hint}, ics (ics for events only)`,
    });
  });

  test("from the environment is ignored if the command does not have it", async () => {
    let written = "";
    const output = createOutput(
      labelView,
      { format: variable("ics"), ...DEFAULTS },
      target(false, async (text) => {
        written += text;
      }),
    );
    await output.print([WORK_LABEL]);
    expect(written).toBe("AbC-dEf_GhIj,6\t6\t仕事\t#e73b3b\n");
  });
});

test.each([[undefined], [80]])("a long list is one JSON document: columns %s", async (columns) => {
  const labels = Array.from({ length: 1_001 }, (_, index) => ({ ...WORK_LABEL, number: index }));
  const text = await rendered(labelView, labels, { format: "json", ...(columns && { columns }) });
  expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  expect(JSON.parse(text)).toEqual(labels);
});

describe("--fields", () => {
  test.each([
    ["tsv", "仕事\tAbC-dEf_GhIj,6\n"],
    ["table", "Name  ID\n仕事  AbC-dEf_GhIj,6\n"],
    ["json", '[\n  {\n    "name": "仕事",\n    "id": "AbC-dEf_GhIj,6"\n  }\n]\n'],
    ["ndjson", '{"name":"仕事","id":"AbC-dEf_GhIj,6"}\n'],
  ])("prints the given keys in the given order as %s", async (format, expected) => {
    expect(await rendered(labelView, [WORK_LABEL], { format, fields: "name, id" })).toBe(expected);
  });

  test("shows a requested line of a detail view even if it is empty", async () => {
    const label = { ...WORK_LABEL, name: null };
    expect(await rendered(labelView, label, { format: "table", fields: "name,number" })).toBe(
      "Name\nNumber  6\n",
    );
  });

  test("selects lines of pairs", async () => {
    const status = {
      profile: "work",
      base_url: null,
      token_source: null,
      signed_in: true,
      user: null,
      rate_limit: null,
      clock_skew_seconds: null,
    };
    const options = { format: "tsv", fields: "signed_in,profile" };
    expect(await rendered(statusView, status, options)).toBe("signed_in\ttrue\nprofile\twork\n");
  });

  test("may name a secret that only new objects have", async () => {
    const client = { id: "1", name: "bot", client_id: "c-1", redirect_uris: [] };
    const fields = "client_secret,id";
    expect(await rendered(serviceClientView, [client], { format: "tsv", fields })).toBe("\t1\n");
    expect(await rendered(serviceClientView, [client], { format: "ndjson", fields })).toBe('{"id":"1"}\n');
  });

  const hint = "fields: id, number, name, color";

  test.each([
    ["titel", '--fields: label output has no field "titel"'],
    ["id,titel,when", '--fields: label output has no field "titel", "when"'],
    ["toString", '--fields: label output has no field "toString"'],
    ["", "--fields: a field name is empty"],
    ["id,,name", "--fields: a field name is empty"],
    ["id,", "--fields: a field name is empty"],
  ])("%j is rejected with a list of the fields", (fields, message) => {
    expect(refusal({ fields })).toEqual({ message, hint });
  });
});

describe("what a view defines itself", () => {
  const agendaView: View<Label> = {
    ...labelView,
    noun: "agenda",
    draw: ({ values, zone, now }, { width }) => `${values.length} at ${now()} in ${zone()}, ${width} wide\n`,
    formats: { ics: ({ values }) => values.map(({ id }) => `BEGIN:${id}\n`).join("") },
  };

  test("a drawing, which gets zone, time and width", async () => {
    const text = await rendered(agendaView, [WORK_LABEL], { columns: 60 });
    expect(text).toBe(`1 at ${VIEWER.now()} in Asia/Tokyo, 60 wide\n`);
  });

  test("a format in addition to the common ones", async () => {
    expect(await rendered(agendaView, [WORK_LABEL], { format: "ics" })).toBe("BEGIN:AbC-dEf_GhIj,6\n");
    expect(await rendered(agendaView, [WORK_LABEL], { format: "tsv", fields: "number" })).toBe("6\n");
    expect(await rendered(agendaView, [], {})).toBe("");
  });

  test("the zone is not read when no time is shown", async () => {
    const zone = () => {
      throw new Error("the configuration was read");
    };
    const options = { format: null, ...DEFAULTS, zone };
    await createOutput(labelView, options, target(true)).print([WORK_LABEL]);
    await expect(createOutput(agendaView, options, target(true)).print([WORK_LABEL])).rejects.toThrow();
  });
});

describe("a document", () => {
  test.each([
    ["indented", JSON_DOCUMENT, false, '{\n  "a": "\u009b"\n}\n'],
    ["indented, escaped on a terminal", JSON_DOCUMENT, true, '{\n  "a": "\\u009b"\n}\n'],
    ["on one line", JSON_LINE, true, '{"a":"\\u009b"}\n'],
  ])("of JSON is %s, whatever format and fields are chosen", async (_, document, isTerminal, expected) => {
    const writes: string[] = [];
    const options = { ...DEFAULTS, format: flag("table"), fields: "x" };
    const write = async (text: string) => {
      writes.push(text);
    };
    await createOutput(document, options, target(isTerminal, write)).print({ a: "\u009b" });
    expect(writes).toEqual([expected]);
  });
});

describe("print", () => {
  test("reports what was already done when the stream fails", async () => {
    const failing = target(false, async () => {
      throw new CliError("failed", "stdout cannot be written: ENOSPC");
    });
    const options = { format: null, ...DEFAULTS };
    await expect(
      createOutput(labelView, options, failing).print(WORK_LABEL, "a label was set"),
    ).rejects.toThrow("stdout cannot be written: ENOSPC, but a label was set");
  });

  test("rejects when the stream fails", async () => {
    const failure = new Error("ENOSPC");
    const output = createOutput(
      labelView,
      { format: null, ...DEFAULTS },
      target(false, async () => {
        throw failure;
      }),
    );
    await expect(output.print(WORK_LABEL)).rejects.toBe(failure);
  });

  test("does not touch the stream when there is nothing to print", async () => {
    const writes: string[] = [];
    const output = createOutput(
      labelView,
      { format: null, ...DEFAULTS },
      target(false, async (text) => {
        writes.push(String(text));
      }),
    );
    await output.print([]);
    expect(writes).toEqual([]);
  });
});
