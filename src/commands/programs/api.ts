import { type Command, Option } from "commander";
import type { HttpMethod } from "../../../contract/routes.js";
import type { RawRequest, RawResponse } from "../../api/raw-request.js";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { collect, readGlobalFlags } from "../../cli/global-flags.js";
import { CliError, usageError } from "../../errors.js";
import { write } from "../../events/write.js";
import { sanitizeBlock, sanitizeLine } from "../../output/sanitize.js";
import type { Document } from "../../output/view.js";
import type { Run } from "../../run/run.js";

/** Flags as typed. */
export interface ApiOptions {
  readonly path: string;
  readonly method?: HttpMethod;
  readonly field?: readonly string[];
  readonly input?: string;
  readonly include?: boolean;
}

const METHODS: readonly HttpMethod[] = ["GET", "POST", "PUT", "DELETE"];

export function registerApi(command: Command, runOf: RunOf): void {
  command
    .argument("<path>", "path below the base URL, such as /calendars")
    .addOption(new Option("-X, --method <method>", "HTTP method (default: GET)").choices(METHODS))
    .option(
      "-f, --field <key=value>",
      "query parameter, or with POST and PUT an attribute or relationship in the body; repeatable",
      collect,
    )
    .option("--input <path|->", "file with the JSON body for POST or PUT, - for stdin")
    .option("-i, --include", "print status and headers before the body");
  describeCommand(command, {
    prints: "json",
    examples: () => [
      ["The calendars, as the service returns them", "calctl api /calendars"],
      ["Names of all calendars", "calctl api /calendars --jq '.data[].attributes.name'"],
      ["The headers with the rate limit", "calctl api /user -i"],
    ],
  });
  addAction<ApiOptions>(command, runOf, async (run, options) => {
    if (options.include === true && readGlobalFlags(command).jq !== undefined)
      throw usageError("--include and --jq contradict each other", "headers are not JSON");
    await runApi(run, options);
  });
}

/** Sends one request and prints the body of its response as it is, also when it is an error. */
async function runApi(run: Run, options: ApiOptions): Promise<void> {
  const output = run.output.of(RESPONSE_DOCUMENT);
  const request = await readRequest(run, options);
  const response =
    request.method === "GET"
      ? await (await run.api()).sendRaw(request)
      : await write(run, { kind: "other", request });
  const { include = false } = options;
  await output.print({ ...response, include }, describeDone(request, response));
  if (response.error !== null) throw response.error;
}

/** What had been done if the output cannot be written; undefined for a read and for an error. */
function describeDone({ method }: RawRequest, { status, error }: RawResponse): string | undefined {
  return method === "GET" || error !== null ? undefined : `the service answered the ${method} with ${status}`;
}

async function readRequest({ terminal }: Run, options: ApiOptions): Promise<RawRequest> {
  const { path, method = "GET", field, input: file } = options;
  const fields = (field ?? []).map(parseField);
  const hasBody = method === "POST" || method === "PUT";
  if (file !== undefined && !hasBody)
    throw usageError(`--input: a ${method} has no body`, "add --method POST or PUT");
  if (!hasBody) return { method, path, query: fields, body: undefined };
  if (file !== undefined && field !== undefined) throw usageError("use either --field or --input, not both");
  if (file !== undefined)
    return { method, path, query: [], body: JSON.stringify(await terminal.input.json(file, "--input")) };
  const body = field === undefined ? undefined : JSON.stringify(documentOf(fields));
  return { method, path, query: [], body };
}

type Field = readonly [key: string, value: string];

function parseField(text: string): Field {
  const [, key, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key !== undefined) return [key, value];
  throw usageError(`--field: "${text}" is not KEY=VALUE`, "write a key, = and a value: title=Lunch");
}

/** The body of a write: a resource with attributes and relationships. @see JSON:API "Creating Resources" */
function documentOf(fields: readonly Field[]): unknown {
  const valuesOf = (name: string) => fields.flatMap(([key, value]) => (key === name ? [value] : []));
  const repeated = fields.find(([key]) => key !== "attendees" && valuesOf(key).length > 1);
  if (repeated !== undefined) throw usageError(`--field: ${repeated[0]} is given twice`);
  const [label] = valuesOf("label");
  const attendees = valuesOf("attendees");
  const attributes = fields.filter(([key]) => key !== "label" && key !== "attendees");
  const relationships = {
    ...(label === undefined ? {} : { label: { data: { type: "label", id: label } } }),
    ...(attendees.length === 0 ? {} : { attendees: { data: attendees.map((id) => ({ type: "user", id })) } }),
  };
  return {
    data: {
      attributes: Object.fromEntries(attributes.map(([key, value]) => [key, attributeOf(key, value)])),
      ...(Object.keys(relationships).length === 0 ? {} : { relationships }),
    },
  };
}

/** Text, but for the contract's one attribute that is not. */
function attributeOf(key: string, value: string): unknown {
  if (key !== "all_day") return value;
  if (value === "true" || value === "false") return value === "true";
  throw usageError(`--field: all_day is "${value}"`, "write all_day=true or all_day=false");
}

/** A response of the service as it is. */
export interface PrintedResponse {
  readonly status: number;
  /** Without secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether status and headers are printed, too. */
  readonly include: boolean;
}

/**
 * The body byte for byte; made harmless on a terminal. Before it, if asked for, `HTTP STATUS`, the headers and an empty
 * line.
 */
export const RESPONSE_DOCUMENT: Document<PrintedResponse> = {
  render({ status, headers, body, include }, { isTerminal }) {
    const lines = [
      `HTTP ${status}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      "",
    ];
    const head = include ? lines.map((line) => `${isTerminal ? sanitizeLine(line) : line}\n`).join("") : "";
    if (!isTerminal) return Buffer.concat([Buffer.from(head), body]);
    const text = sanitizeBlock(new TextDecoder().decode(body));
    return `${head}${text}${text === "" || text.endsWith("\n") ? "" : "\n"}`;
  },
  json({ status, body }) {
    // jq programs are written for successes.
    if (status >= 400 || body.length === 0) return undefined;
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    } catch (cause) {
      const hint = "omit --jq to see it";
      throw new CliError("rejected", "--jq: the response is not JSON", { hint, cause });
    }
  },
};
