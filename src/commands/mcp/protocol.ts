import { isJsonObject, parseJson } from "../../../contract/json.js";
import { boundText } from "../../output/error-report.js";

/**
 * The server's side of the Model Context Protocol, as far as tools need it: JSON-RPC 2.0, one message a line.
 * @see https://modelcontextprotocol.io/specification
 */

/** What a call gives; with `isError` the text says what went wrong. */
export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: object;
  readonly isError?: true;
}

export type ToolArguments = Readonly<Record<string, unknown>>;

/** A server of tools. */
interface ToolServer {
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** What a model is told about all tools. */
  readonly instructions: string;
  readonly tools: readonly {
    /** What clients are told. */
    readonly told: { readonly name: string };
    call(given: ToolArguments): Promise<ToolResult>;
  }[];
}

/**
 * The revisions of the protocol, which differ in nothing that is used here, the newest first; without 2025-03-26, whose
 * servers must take several messages in one.
 */
const REVISIONS = ["2025-11-25", "2025-06-18", "2024-11-05"] as const;

/** Longest text of an error (UTF-16 code units): it may have a value of the request in it. */
export const MAX_TEXT = 1000;

/** JSON-RPC 2.0 §5.1 */
const CODES = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602 } as const;

/**
 * Answers one line.
 * @param line null for one that is not UTF-8
 * @returns the JSON that is sent back; null for a notification, which has no answer
 */
export async function answerLine(line: string | null, server: ToolServer): Promise<object | null> {
  const message = parseJson(line ?? "");
  const { jsonrpc, id, method, params = {} } = isJsonObject(message) ? message : {};
  const isId = typeof id === "string" || typeof id === "number";
  const reply = (answer: object) => ({ jsonrpc: "2.0", id: isId ? id : null, ...answer });
  if (message === undefined) return reply(failure("parse", "the line is not JSON in UTF-8"));
  if (jsonrpc === "2.0" && (id === undefined || method === undefined)) return null;
  if (jsonrpc !== "2.0" || !isId || typeof method !== "string" || !isJsonObject(params))
    return reply(
      failure(
        "request",
        "a request is an object with jsonrpc 2.0, method, params, and a text or number as id",
      ),
    );
  return reply(await answerRequest(method, params, server));
}

/** The answer to a line that is too long to be read. */
export function refuseLongLine(): object {
  return { jsonrpc: "2.0", id: null, ...failure("request", "a line is at most 8 MiB long") };
}

async function answerRequest(
  method: string,
  params: ToolArguments,
  { serverInfo, instructions, tools }: ToolServer,
) {
  switch (method) {
    case "initialize": {
      const protocolVersion = REVISIONS.find((each) => each === params["protocolVersion"]) ?? REVISIONS[0];
      return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo, instructions } };
    }
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: { tools: tools.map(({ told }) => told) } };
    case "tools/call": {
      const { name, arguments: given = {} } = params;
      if (name === undefined) return failure("params", "the name of the tool is missing");
      const tool = tools.find(({ told }) => told.name === name);
      if (tool === undefined) return failure("params", `there is no tool ${JSON.stringify(name)}`);
      if (!isJsonObject(given)) return failure("params", "arguments must be an object");
      return { result: await tool.call(given) };
    }
    default:
      return failure("method", `there is no method ${JSON.stringify(method)}`);
  }
}

function failure(code: keyof typeof CODES, message: string) {
  return { error: { code: CODES[code], message: boundText(message, MAX_TEXT) } };
}
