import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { serveLines } from "../../../src/commands/programs/mcp/serve.js";
import { createGate } from "../../support/gate.js";

/** The streams of `calctl mcp`. */

const LINES = 1_000;

test("while nobody reads the answers, no more requests are read", async () => {
  let read = 0;
  async function* requests() {
    for (; read < LINES; read++) {
      await setImmediate();
      yield Buffer.from(`{"jsonrpc":"2.0","id":${read},"method":"ping"}\n`);
    }
  }
  const stdin = Object.assign(requests(), { destroy: () => undefined });
  const [blocked, drained, answers] = [createGate(), createGate(), [] as string[]];
  const stdout = {
    isClosed: false,
    write(text: string | Uint8Array) {
      answers.push(String(text));
      blocked.open();
      return drained.opened;
    },
  };
  const server = { serverInfo: { name: "x", version: "1" }, instructions: () => "", tools: [] };
  const machine = { process: { stdin }, signal: () => new AbortController().signal, stdout };
  const served = serveLines(machine, server);
  await blocked.opened;
  for (let turn = 0; turn < LINES; turn++) await setImmediate();
  expect(read).toBeLessThan(10);
  drained.open();
  await served;
  expect(answers).toHaveLength(LINES);
});
