import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createMetrics, listenForMetrics } from "../metrics.js";

async function start(host: string) {
  const listener = await listenForMetrics(createMetrics(), { host, port: 0 });
  onTestFinished(() => listener.close());
  return Number(new URL(`http://${listener.address}`).port);
}

function statusOf(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path: "/metrics", headers: { host }, agent: false });
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** A page at a name that its owner points at this machine could read them otherwise. */
test.each([
  ["127.0.0.1:PORT", 200],
  ["localhost:PORT", 200],
  ["LOCALHOST:PORT", 200],
  ["[::1]:PORT", 200],
  ["192.0.2.7:PORT", 200],
  ["rebound.example.org:PORT", 421],
  ["127.0.0.1.example.org:PORT", 421],
  ["127.0.0.1:1", 421],
  ["127.0.0.1", 421],
  ["user@rebound.example.org:PORT", 421],
])("metrics asked for at %s are %i", async (written, status) => {
  const port = await start("localhost");
  expect(await statusOf(port, written.replace("PORT", String(port)))).toBe(status);
});
