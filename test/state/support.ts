import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createSeenByName } from "../../src/state/seen.js";
import { createSent, type OutgoingMessage, type SendOptions } from "../../src/state/sent.js";
import { openState } from "../../src/state/state.js";
import type { ProcessSource } from "../../src/system/file-lock.js";
import { temporaryFolder } from "../support/temporary-folder.js";

export const NOW = Date.parse("2026-11-22T06:00:00.000Z");
export const DAY = 86_400_000;

/** The path of a state in a folder of its own. */
export function createStatePath(): string {
  const folder = temporaryFolder();
  return join(folder, "state", "state.db");
}

export interface TestStateOptions {
  readonly now?: () => number;
  /** Called at each pause instead of waiting. */
  readonly onPause?: (milliseconds: number) => unknown;
  readonly process?: ProcessSource;
  readonly signal?: AbortSignal;
  readonly create?: boolean;
  readonly note?: (text: string) => void;
}

/** A state as a process of its own has it; pauses take one turn of the event loop. */
export async function openTestState(path: string, options: TestStateOptions = {}) {
  const {
    now = () => NOW,
    onPause,
    create,
    note = () => undefined,
    signal = new AbortController().signal,
  } = options;
  const state = await openState({
    path,
    ...(create === undefined ? {} : { create }),
    note,
    noteWait: note,
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
    if (isOpen) state.close();
    isOpen = false;
  };
  onTestFinished(close);
  const sent = createSent(state);
  const sendOnce = (key: string, send: () => Promise<void>, options: SendOptions) =>
    sent.sendOnce([key], async () => messageOf(key, send), options);
  return { state, seen: createSeenByName(state), sent, sendOnce, close };
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
