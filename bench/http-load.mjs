// Sends HTTP/1.1 requests over kept connections and counts the responses, at little CPU time of its own.
import { once } from "node:events";
import { connect } from "node:net";

/** A kept connection, which has one request under way at a time. */
export async function openConnection(baseUrl) {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await once(socket, "connect");
  return {
    socket,
    /** @returns the status and the bytes of the response */
    send(text) {
      socket.write(text);
      return readResponse(socket);
    },
    close: () => socket.destroy(),
  };
}

export function formatRequest(method, target, { token, body = "" } = {}) {
  const head = [`${method} ${target} HTTP/1.1`, "Host: 127.0.0.1"];
  if (token !== undefined) head.push(`Authorization: Bearer ${token}`);
  if (body !== "") head.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** Requests per second of `connections` clients that together send `count` times the same request. */
export async function measureRate(baseUrl, request, { connections, count, status }) {
  const clients = await Promise.all(Array.from({ length: connections }, () => openConnection(baseUrl)));
  let left = count;
  const start = performance.now();
  await Promise.all(
    clients.map(async ({ send }) => {
      while (left > 0) {
        left -= 1;
        const response = await send(request);
        if (response.status !== status)
          throw new Error(`${response.status} instead of ${status}: ${request}`);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  for (const { close } of clients) close();
  return count / seconds;
}

function readResponse(socket) {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const finish = (settle, value) => {
      socket.removeListener("data", onData);
      socket.removeListener("close", onClose);
      settle(value);
    };
    const onClose = () => finish(reject, new Error("the connection was closed"));
    const onData = (chunk) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf("\r\n\r\n");
      if (end === -1) return;
      const length = Number(
        /\r\ncontent-length: (\d+)/i.exec(bytes.toString("latin1", 0, end + 2))?.[1] ?? 0,
      );
      if (bytes.length < end + 4 + length) return;
      finish(resolve, { status: Number(bytes.toString("latin1", 9, 12)), bytes });
    };
    socket.on("data", onData);
    socket.on("close", onClose);
  });
}
