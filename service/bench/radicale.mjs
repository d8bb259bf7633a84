// Radicale, if it is installed: a CalDAV server with the events of a week, asked by its nearest call.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { isInstalled } from "../../bench/world.mjs";

const DAY = 86_400_000;

const COLLECTION = "/bench/week/";

/** Sends one request over a connection of its own. Resolves with the size of the answer. */
export async function fetchOnce(baseUrl, { method, path, headers = {}, body = "" }) {
  const sent = request(new URL(path, baseUrl), { method, headers, agent: false });
  sent.end(body);
  const [response] = await once(sent, "response");
  let size = 0;
  for await (const chunk of response) size += chunk.length;
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode}`);
  return size;
}

/** Starts Radicale with as many events in the coming week. Null where it is not installed. */
export async function startRadicale(home, events) {
  if (!isInstalled("radicale")) return null;
  const port = await freePort();
  const options = [
    "--server-hosts",
    `127.0.0.1:${port}`,
    "--auth-type",
    "none",
    "--rights-type",
    "authenticated",
  ];
  const storage = ["--storage-filesystem-folder", join(home, "radicale"), "--logging-level", "error"];
  const child = spawn("radicale", [...options, ...storage], { stdio: "ignore" });
  const base_url = `http://127.0.0.1:${port}`;
  await fill(base_url, events);
  return { base_url, stop: () => child.kill() };
}

async function fill(baseUrl, events) {
  const headers = { authorization: `Basic ${btoa("bench:bench")}` };
  for (let attempt = 0; ; attempt += 1) {
    try {
      await fetchOnce(baseUrl, { method: "MKCALENDAR", path: COLLECTION, headers });
      break;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  for (let number = 0; number < events; number += 1) {
    const path = `${COLLECTION}${number}.ics`;
    await fetchOnce(baseUrl, {
      method: "PUT",
      path,
      headers: { ...headers, "content-type": "text/calendar" },
      body: icsOf(number),
    });
  }
}

function icsOf(number) {
  const start = Date.now() + DAY * (1 + (number % 5)) + number * 60_000;
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:bench",
    "BEGIN:VEVENT",
    `UID:${number}`,
    `DTSTAMP:${utc(Date.now())}`,
    `DTSTART:${utc(start)}`,
    `DTEND:${utc(start + 3_600_000)}`,
    "SUMMARY:Seminar",
    "LOCATION:Room 7",
    "DESCRIPTION:Written to be listed.",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ];
  return lines.join("\r\n");
}

/** The events of the coming week: RFC 4791 §7.8. */
export function weekReport() {
  const start = Math.floor(Date.now() / DAY) * DAY;
  const range = `<C:time-range start="${utc(start)}" end="${utc(start + 7 * DAY)}"/>`;
  const filter = `<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">${range}</C:comp-filter></C:comp-filter></C:filter>`;
  return {
    method: "REPORT",
    path: COLLECTION,
    headers: { authorization: `Basic ${btoa("bench:bench")}`, depth: "1", "content-type": "application/xml" },
    body: `<?xml version="1.0"?><C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop>${filter}</C:calendar-query>`,
  };
}

function utc(milliseconds) {
  return new Date(milliseconds).toISOString().replace(/[-:]|\.\d+/g, "");
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
