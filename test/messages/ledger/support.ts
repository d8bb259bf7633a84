import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openLedger } from "../../../src/messages/ledger/ledger.js";
import { createProcessIdentities, type ProcessIdentities } from "../../../src/system/process-identity.js";
import { createProcessTable } from "../../../src/system/process-table.js";

export const NOW = Date.parse("2026-11-22T06:00:00.000Z");
export const DAY = 86_400_000;

/** The path of a ledger in a folder of its own. */
export function createLedgerPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "calctl-ledger-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "state", "ledger.db");
}

export interface TestLedgerOptions {
  readonly now?: () => number;
  /** Called at each pause instead of waiting. */
  readonly onPause?: (milliseconds: number) => unknown;
  readonly processes?: ProcessIdentities;
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
    processes: options.processes ?? createProcessIdentities(createProcessTable(process)),
    signal: () => signal,
  });
  let isOpen = true;
  const close = () => {
    if (isOpen) ledger.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { ...ledger, close };
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

/** This process as it appears to others, with changes: another machine, or one that has ended. */
export function processWith(
  changes: Partial<ProcessIdentities["self"]>,
  isRunning: ProcessIdentities["isRunning"] = () => false,
): ProcessIdentities {
  const { self } = createProcessIdentities(createProcessTable(process));
  return { self: { ...self, ...changes }, isRunning };
}
