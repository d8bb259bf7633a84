import { copyFileSync } from "node:fs";
import { expect, test } from "vitest";
import { querySql } from "../../service/test/support/database.js";
import { createStatePath, openTestState } from "../state/support.js";
import { describeWithDisk, mountDisk } from "../support/system.js";

/** Messages that are sent once, with a state database on a disk that takes no more. */

const KEEP = { keepDays: 1 };

/** A send that fails the test when it runs. */
const neverSend = () => Promise.reject(new Error("it was sent"));

const configuration = { code: "configuration", exitCode: 10, message: expect.stringContaining("state.db") };

describeWithDisk("a state database on a disk", () => {
  test("that is full, nothing is sent; once there is room, it is", async () => {
    const disk = mountDisk(1);
    const path = `${disk.path}/state/state.db`;
    const state = await openTestState(path);
    disk.fill();
    const large = "k".repeat(100_000);
    await expect(state.sendOnce(large, neverSend, KEEP)).rejects.toMatchObject(configuration);
    const opened = openTestState(path).then((other) => other.sendOnce(large, neverSend, KEEP));
    await expect(opened).rejects.toMatchObject(configuration);
    disk.free();
    expect(await state.sendOnce(large, async () => undefined, KEEP)).toBe("sent");
  });

  test("that is full at first, none is created", async () => {
    const disk = mountDisk(1);
    disk.fill();
    await expect(openTestState(`${disk.path}/state.db`)).rejects.toMatchObject(configuration);
  });

  test("that is read-only, nothing is sent", async () => {
    const disk = mountDisk(1);
    const made = createStatePath();
    (await openTestState(made)).close();
    const path = `${disk.path}/state.db`;
    copyFileSync(made, path);
    disk.setReadOnly(true);
    const sending = openTestState(path).then((state) => state.sendOnce("digest", neverSend, KEEP));
    await expect(sending).rejects.toMatchObject(configuration);
    disk.setReadOnly(false);
  });

  test("that gets full while a message is sent, says that it was sent, and never sends it again", async () => {
    const disk = mountDisk(1);
    const path = `${disk.path}/state/state.db`;
    const state = await openTestState(path);
    const sending = state.sendOnce("digest", async () => disk.fill(), KEEP);
    await expect(sending).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining("it was sent, but this could not be recorded"),
    });
    disk.free();
    expect(querySql(path, "select state from sent")).toEqual([{ state: "sending" }]);
  });
});
