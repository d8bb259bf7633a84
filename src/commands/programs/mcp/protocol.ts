import { isJsonObject, parseJson } from "../../../../contract/json.js";
import { CliError } from "../../../errors.js";
import { boundText } from "../../../output/error-report.js";

/**
 * The server's side of the Model Context Protocol, as far as tools need it: JSON-RPC 2.0, one message a line.
 * @see https://modelcontextprotocol.io/specification
 */

/** What a call gives. */
export interface ToolResult {
  /** With `error` if it failed. */
  readonly value: object;
  /** One line about the value; null if the call failed. */
  readonly summary: string | null;
}

export type ToolArguments = Readonly<Record<string, unknown>>;

interface ToolDescription {
  readonly name: string;
  readonly outputSchema: object;
}

/** A server of tools. */
export interface ToolServer {
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** What a model is told about all tools when its session begins. */
  readonly instructions: () => string;
  readonly tools: readonly {
    readonly name: string;
    /** What clients are told. */
    describe(): Promise<ToolDescription>;
    /** @param signal its abort cancels the call */
    call(given: ToolArguments, signal: AbortSignal): Promise<ToolResult>;
  }[];
}

/** The revisions of the protocol that the clients of its SDK speak, the newest first. */
const REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const;

/** The first revision with structured content. */
const [, STRUCTURED] = REVISIONS;

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
  let revision: string = REVISIONS[0];

  const callInTurn = async (id: unknown, make: (signal: AbortSignal) => Promise<ToolResult>) => {
    const call = { id, cancellation: new AbortController() };
    const { signal } = call.cancellation;
    const turn = lastCall.then(() => (signal.aborted || ended.aborted ? null : make(signal)));
    lastCall = turn.catch(() => null);
    calls.add(call);
    const result = await turn.finally(() => calls.delete(call));
    return signal.aborted || result === null ? null : { result: contentOf(result, revision >= STRUCTURED) };
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
        revision = REVISIONS.find((each) => each === params["protocolVersion"]) ?? REVISIONS[0];
        return {
          result: {
            protocolVersion: revision,
            capabilities: { tools: {} },
            serverInfo,
            instructions: instructions(),
          },
        };
      }
      case "ping":
        return { result: {} };
      case "tools/list":
        return { result: { tools: await describeTools(tools, revision >= STRUCTURED) } };
      case "tools/call": {
        const name = params["name"] ?? undefined;
        const given = params["arguments"] ?? {};
        if (name === undefined) return failure("params", "the name of the tool is missing");
        const tool = tools.find((each) => each.name === name);
        if (tool === undefined) return failure("params", `unknown tool ${JSON.stringify(name)}`);
        if (!isJsonObject(given)) return failure("params", "arguments must be an object");
        return callInTurn(id, (signal) => tool.call(given, signal));
      }
      default:
        return failure("method", `unknown method ${JSON.stringify(method)}`);
    }
  };

  const respondTo = async (message: unknown): Promise<object | null> => {
    const { jsonrpc, id, method, params: given } = isJsonObject(message) ? message : {};
    // Some clients send null for nothing.
    const params = given ?? {};
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

  /**
   * @param line null for one that is not UTF-8
   * @returns the JSON that is sent back; null for a notification and for a cancelled call, which have no response
   */
  return async (line: string | null): Promise<object | null> => {
    const message = parseJson(line ?? "");
    if (!Array.isArray(message) || message.length === 0) return respondTo(message);
    // Clients of 2025-03-26 may send several messages in one.
    const responses = await Promise.all(message.map(respondTo));
    const sent = responses.filter((response) => response !== null);
    return sent.length === 0 ? null : sent;
  };
}

/** Without structured content, tools have no schema of it: clients may refuse results that lack what it describes. */
async function describeTools(tools: ToolServer["tools"], isStructured: boolean): Promise<readonly object[]> {
  const described: object[] = [];
  for (const tool of tools) {
    const { outputSchema, ...told } = await tool.describe();
    described.push(isStructured ? { ...told, outputSchema } : told);
  }
  return described;
}

/** Each value once: as structured content if there is such a thing, else as text. */
function contentOf({ value, summary }: ToolResult, isStructured: boolean): object {
  const json = JSON.stringify(value);
  const content = [{ type: "text", text: isStructured && summary !== null ? summary : json }];
  if (summary === null) return { content, isError: true };
  return isStructured ? { content, structuredContent: value } : { content };
}

/** The answer to a line that is too long to be read. */
export function refuseLongLine(): object {
  return { jsonrpc: "2.0", id: null, ...failure("request", "a line is at most 8 MiB long") };
}

function failure(code: keyof typeof CODES, message: string) {
  return { error: { code: CODES[code], message: boundText(message, MAX_TEXT) } };
}
