import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openLedger } from "../../../src/messages/ledger/ledger.js";
import type { OutgoingMessage, SendOnce } from "../../../src/messages/ledger/sends.js";
import type { ProcessSource } from "../../../src/system/process-identity.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

export const NOW = Date.parse("2026-11-22T06:00:00.000Z");
export const DAY = 86_400_000;

/** The path of a ledger in a folder of its own. */
export function createLedgerPath(): string {
  const folder = temporaryFolder();
  return join(folder, "state", "ledger.db");
}

export interface TestLedgerOptions {
  readonly now?: () => number;
  /** Called at each pause instead of waiting. */
  readonly onPause?: (milliseconds: number) => unknown;
  readonly process?: ProcessSource;
  readonly signal?: AbortSignal;
}

/** A ledger as a process of its own has it; pauses take one turn of the event loop. */
export async function openTestLedger(path: string, options: TestLedgerOptions = {}) {
  const { now = () => NOW, onPause, signal = new AbortController().signal } = options;
  const ledger = await openLedger({
    path,
    clock: {
      now,
      async sleep(milliseconds, aborted) {
        await onPause?.(milliseconds);
        await new Promise((resolve) => setImmediate(resolve));
        aborted.throwIfAborted();
      },
    },
    process: options.process ?? process,
    signal: () => signal,
  });
  let isOpen = true;
  const close = () => {
    if (isOpen) ledger.close();
    isOpen = false;
  };
  onTestFinished(close);
  const sendOnce = (key: string, send: () => Promise<void>, options: Parameters<SendOnce>[2]) =>
    ledger.sendOnce([key], async () => messageOf(key, send), options);
  return { ...ledger, sendOnce, ledger, close };
}

/** A message to the chat `team`. */
function messageOf(what: string, send: () => Promise<void>): OutgoingMessage {
  return {
    ...{ command: "post", target: "target team", what },
    send,
  };
}

/** A promise that the test settles. */
export function createDeferred() {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** Another process, to which every process runs. */
export function processWith(pid: number): ProcessSource {
  return { pid, kill: () => true };
}

/** No process has this id. */
export const ENDED_PID = 2 ** 22 + 1;
