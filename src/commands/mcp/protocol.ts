import { isJsonObject, parseJson } from "../../../contract/json.js";
import { CliError } from "../../errors.js";
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
export interface ToolServer {
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** What a model is told about all tools. */
  readonly instructions: string;
  readonly tools: readonly {
    /** What clients are told. */
    readonly told: { readonly name: string };
    /** @param signal its abort cancels the call */
    call(given: ToolArguments, signal: AbortSignal): Promise<ToolResult>;
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
 * A connection of one client. Calls are made one after the other; everything else is answered at once.
 * @param ended calls that wait for their turn when it aborts are not made
 */
export function createSession(server: ToolServer, ended: AbortSignal) {
  const calls = new Set<{ readonly id: unknown; readonly cancellation: AbortController }>();
  let lastCall: Promise<unknown> = Promise.resolve();

  const callInTurn = async (id: unknown, make: (signal: AbortSignal) => Promise<ToolResult>) => {
    const call = { id, cancellation: new AbortController() };
    const { signal } = call.cancellation;
    const turn = lastCall.then(() => (signal.aborted || ended.aborted ? null : make(signal)));
    lastCall = turn.catch(() => null);
    calls.add(call);
    const result = await turn.finally(() => calls.delete(call));
    return signal.aborted || result === null ? null : { result };
  };

  const handleNotification = (method: unknown, params: unknown): void => {
    if (method !== "notifications/cancelled" || !isJsonObject(params)) return;
    for (const { id, cancellation } of calls)
      if (id === params["requestId"]) cancellation.abort(new CliError("interrupted", "cancelled"));
  };

  const answerRequest = async (id: unknown, method: string, params: ToolArguments) => {
    const { serverInfo, instructions, tools } = server;
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
        return callInTurn(id, (signal) => tool.call(given, signal));
      }
      default:
        return failure("method", `there is no method ${JSON.stringify(method)}`);
    }
  };

  /**
   * @param line null for one that is not UTF-8
   * @returns the JSON that is sent back; null for a notification and for a cancelled call, which have no response
   */
  return async (line: string | null): Promise<object | null> => {
    const message = parseJson(line ?? "");
    const { jsonrpc, id, method, params = {} } = isJsonObject(message) ? message : {};
    const isId = typeof id === "string" || typeof id === "number";
    const reply = (answer: object | null) => answer && { jsonrpc: "2.0", id: isId ? id : null, ...answer };
    if (message === undefined) return reply(failure("parse", "the line is not JSON in UTF-8"));
    if (jsonrpc === "2.0" && (id === undefined || method === undefined)) {
      handleNotification(method, params);
      return null;
    }
    if (jsonrpc !== "2.0" || !isId || typeof method !== "string" || !isJsonObject(params))
      return reply(
        failure(
          "request",
          "a request is an object with jsonrpc 2.0, method, params, and a text or number as id",
        ),
      );
    return reply(await answerRequest(id, method, params));
  };
}

/** The answer to a line that is too long to be read. */
export function refuseLongLine(): object {
  return { jsonrpc: "2.0", id: null, ...failure("request", "a line is at most 8 MiB long") };
}

function failure(code: keyof typeof CODES, message: string) {
  return { error: { code: CODES[code], message: boundText(message, MAX_TEXT) } };
}
