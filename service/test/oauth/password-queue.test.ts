import { describe, expect, test } from "vitest";
import { createPasswordQueue } from "../../oauth/password-queue.js";

/** A queue whose verifications end when they are told to. */
function createStage() {
  const queue = createPasswordQueue();
  const running = new Map<string, (failure?: Error) => void>();
  const submit = (address: string, name = address): Promise<unknown> =>
    queue.run(address, () => {
      return new Promise((resolve, reject) => {
        running.set(name, (failure) => (failure === undefined ? resolve(name) : reject(failure)));
      });
    });
  /** Ends a verification, the oldest by default. */
  const end = async (failure?: Error, name = [...running.keys()][0] ?? "") => {
    running.get(name)?.(failure);
    running.delete(name);
    await continuations();
  };
  return {
    running,
    submit,
    end,
    /** Ends verifications until none runs. Resolves with how many ran at the same time. */
    async endAll() {
      await continuations();
      let most = 0;
      for (; running.size > 0; await end()) most = Math.max(most, running.size);
      return most;
    },
  };
}

/** Resolves when the queue has done what it can: other events come in between two verifications. */
async function continuations(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

const outcomeOf = (verification: Promise<unknown>) => verification.catch((error: unknown) => error);

/** What it takes at a time, and refuses, is proven where users sign in. */
describe("the password queue", () => {
  test("runs one verification at a time, whatever is waiting", async () => {
    const { submit, endAll } = createStage();
    const all = Array.from({ length: 12 }, (_, host) => submit(`192.0.2.${host}`));
    expect(await endAll()).toBe(1);
    expect(await Promise.all(all)).toHaveLength(12);
  });

  test("goes on after one that fails", async () => {
    const { submit, end, endAll } = createStage();
    const failed = outcomeOf(submit("a"));
    const others = ["b", "c", "a"].map((address, index) => outcomeOf(submit(address, `other ${index}`)));
    const failure = new Error("scrypt failed");
    await continuations();
    await end(failure, "a");
    await endAll();
    expect(await failed).toBe(failure);
    expect(await Promise.all(others)).toEqual(["other 0", "other 1", "other 2"]);
  });
});
