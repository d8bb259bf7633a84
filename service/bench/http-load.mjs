// Sends HTTP/1.1 requests over persistent connections and counts the responses, at little CPU time of its own.
import { once } from "node:events";
import { connect } from "node:net";

/** A persistent connection, which has one request in progress at a time. */
export async function openConnection(baseUrl) {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await once(socket, "connect");
  let receive;
  let fail;
  let bytes = null;
  socket.on("data", (chunk) => {
    bytes = bytes === null ? chunk : Buffer.concat([bytes, chunk]);
    if (receive === undefined || bytes.length < lengthOf(bytes)) return;
    const response = { status: Number(bytes.latin1Slice(9, 12)), bytes };
    bytes = null;
    receive(response);
  });
  socket.on("close", () => fail?.(new Error("the connection was closed")));
  return {
    socket,
    /** Calls back with the status and the bytes of each response. */
    onResponse(onReceived, onFailed) {
      receive = onReceived;
      fail = onFailed;
    },
    /** @returns the status and the bytes of the response */
    send(text) {
      return new Promise((resolve, reject) => {
        receive = resolve;
        fail = reject;
        socket.write(text);
      });
    },
    close: () => socket.destroy(),
  };
}

/** Of a response with a Content-Length, of which the first bytes were received; Infinity as long as the head is not complete. */
function lengthOf(bytes) {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return Number.POSITIVE_INFINITY;
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.latin1Slice(0, end + 2))?.[1] ?? 0;
  return end + 4 + Number(length);
}

export function formatRequest(method, target, { token, body = "" } = {}) {
  const head = [`${method} ${target} HTTP/1.1`, "Host: 127.0.0.1"];
  if (token !== undefined) head.push(`Authorization: Bearer ${token}`);
  if (body !== "") head.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** Requests per second of `connections` clients that together send `count` requests, one after the other of the list. */
export async function measureRate(baseUrl, requests, { connections, count, status }) {
  const clients = await Promise.all(Array.from({ length: connections }, () => openConnection(baseUrl)));
  const start = performance.now();
  try {
    await exchange(clients, requests, { count, status });
    return (count * 1000) / (performance.now() - start);
  } finally {
    for (const { close } of clients) close();
  }
}

/** By callbacks: a promise for each response would take as long as a bare handler does for it. */
function exchange(clients, requests, { count, status }) {
  let unsent = count;
  let unanswered = count;
  return new Promise((resolve, reject) => {
    for (const { socket, onResponse } of clients) {
      const sendNext = () => {
        if (unsent === 0) return;
        unsent -= 1;
        socket.write(requests[unsent % requests.length]);
      };
      onResponse((response) => {
        if (response.status !== status) {
          reject(new Error(`${response.status} instead of ${status}: ${response.bytes}`));
          return;
        }
        unanswered -= 1;
        if (unanswered === 0) resolve();
        else sendNext();
      }, reject);
      sendNext();
    }
  });
}
