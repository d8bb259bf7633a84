import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { TargetKind } from "../../../src/messages/target.js";
import { type Answer, type AnswerName, answerOf } from "./answers.js";
import { checkPayload, type SentPayload } from "./checks.js";
import { type ChatPage, showMessage } from "./pages.js";

/** Stands in for the chat services: answers as they do, and takes only what they would take. */

/** What is sent over HTTP. */
export type ChatKind = Exclude<TargetKind, "mail">;

export const CHAT_KINDS: readonly ChatKind[] = [
  ...(["slack", "discord", "teams", "mattermost", "telegram", "googlechat", "ntfy", "json"] as const),
];

/** A part of each URL that must not be seen anywhere else. */
export const CHAT_SECRET = "S3cretOfThisHook";

/** A message that a service accepted. */
interface AcceptedMessage extends SentPayload {
  /** Path and query. */
  readonly target: string;
  /** The message as a person sees it. */
  readonly page: ChatPage;
}

export interface ChatServices {
  /** Where messages of a kind are posted to; of bots with the token. */
  urlOf(kind: ChatKind): string;
  /** What was accepted, in order. */
  received(kind: ChatKind): readonly AcceptedMessage[];
  /** Number of requests, also of those that were refused. */
  requests(kind: ChatKind): number;
  /** Why the last request that was not valid was refused, as the checks say it; empty without one. */
  problems(kind: ChatKind): readonly string[];
  /** How the next requests are answered, one each: by name, with any answer, or `hang_up` for none. */
  answerNext(kind: ChatKind, ...answers: readonly (AnswerName | "hang_up" | Answer)[]): void;
  close(): Promise<void>;
}

const PATHS: Readonly<Record<ChatKind, string>> = {
  slack: `/services/T0/B0/${CHAT_SECRET}`,
  discord: `/api/webhooks/1/${CHAT_SECRET}`,
  teams: `/workflows/0a1b/triggers/manual/paths/invoke?api-version=1&sig=${CHAT_SECRET}`,
  mattermost: `/hooks/${CHAT_SECRET}`,
  telegram: `/bot1:${CHAT_SECRET}/sendMessage`,
  googlechat: `/v1/spaces/AAAA/messages?key=k&token=${CHAT_SECRET}`,
  ntfy: `/${CHAT_SECRET}`,
  json: `/hook?token=${CHAT_SECRET}`,
};

export interface ChatServicesOptions {
  /** PEM; with it the server speaks TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Listens on a free port of 127.0.0.1 until the test ends. */
export async function startChatServices({ tls }: ChatServicesOptions = {}): Promise<ChatServices> {
  const state = new Map(CHAT_KINDS.map((kind) => [kind, createRoom()]));
  const roomOf = (kind: ChatKind): Room => state.get(kind) ?? createRoom();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const kind = CHAT_KINDS.find(
      (kind) => PATHS[kind] === request.url?.replace(/\?wait=true(?:&with_components=true)?$/, ""),
    );
    if (kind === undefined) response.writeHead(404).end("no such path");
    else void serve({ request, response, kind, room: roomOf(kind) });
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const base = `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  const close = () => closeServer(server);
  onTestFinished(close);
  return {
    urlOf: (kind) => `${base}${PATHS[kind]}`,
    received: (kind) => roomOf(kind).accepted,
    requests: (kind) => roomOf(kind).requests,
    problems: (kind) => roomOf(kind).problems,
    answerNext: (kind, ...answers) => void roomOf(kind).answers.push(...answers),
    close,
  };
}

interface Room {
  readonly accepted: AcceptedMessage[];
  readonly answers: (AnswerName | "hang_up" | Answer)[];
  requests: number;
  problems: readonly string[];
}

function createRoom(): Room {
  return { accepted: [], answers: [], requests: 0, problems: [] };
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly kind: ChatKind;
  readonly room: Room;
}

async function serve({ request, response, kind, room }: Visit): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  room.requests += 1;
  const planned = room.answers.shift();
  if (planned === "hang_up") {
    request.socket.destroy();
    return;
  }
  if (planned !== undefined) {
    send(response, typeof planned === "string" ? answerOf(kind, planned) : planned);
    return;
  }
  const payload: SentPayload = {
    contentType: request.headers["content-type"] ?? "",
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: Buffer.concat(chunks).toString("utf8"),
  };
  const problems = [
    ...(request.method === "POST" ? checkPayload(kind, payload) : ["not a POST"]),
    ...(payload.headers["user-agent"] === undefined ? ["no User-Agent"] : []),
  ];
  if (problems.length > 0) room.problems = problems;
  else room.accepted.push({ ...payload, target: request.url ?? "", page: showMessage(kind, payload) });
  send(response, answerOf(kind, problems.length > 0 ? "invalid" : "accepted"));
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
