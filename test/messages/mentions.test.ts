import { describe, expect, test } from "vitest";
import { createDigest, createReminder, createTextMessage, type Message } from "../../src/messages/message.js";
import { renderMessage } from "../../src/messages/render.js";
import { checkPayload } from "../support/chat/checks.js";
import { showMessage } from "../support/chat/pages.js";
import type { ChatKind } from "../support/chat/services.js";
import { createHarness } from "../support/harness.js";
import { failed } from "../support/outcomes.js";
import { createPostWorld, todayAt } from "../support/post-world.js";
import { words } from "../support/words.js";
import {
  DINNER,
  event,
  HOSTILE_TITLES,
  HOSTILE_WEEK,
  NOW,
  OPTIONS,
  PLACE,
  placeFlags,
  ZONE,
} from "./fixtures.js";

/** Whom a message notifies: those of `--mention`, as each target names them, and never whom a text names. */

const OBJECT_ID = "0a1b2c3d-0000-4000-8000-00000000000a";

const TARGETS: readonly (readonly [ChatKind, readonly string[], readonly string[]])[] = [
  ["slack", ["@here", "U012AB3CD"], ["<!here>", "<@U012AB3CD>"]],
  ["discord", ["@here", "80351110224678912"], ["@here", "<@80351110224678912>"]],
  ["teams", ["ana@example.com", OBJECT_ID], ["<at>ana@example.com</at>", `<at>${OBJECT_ID}</at>`]],
  ["mattermost", ["@channel", "@ana.b"], ["@channel", "@ana.b"]],
  ["telegram", ["123456"], ["tg://user?id=123456"]],
  ["googlechat", ["users/12345", "users/all"], ["<users/12345>", "<users/all>"]],
];

async function mentioned(kind: ChatKind, message: Message, mentions?: readonly string[]) {
  const payload = await renderMessage(kind, message, {
    ...PLACE,
    now: NOW,
    ...(mentions !== undefined && { mentions }),
  });
  expect(checkPayload(kind, payload)).toEqual([]);
  return { mentions: new Set(showMessage(kind, payload).mentions), body: JSON.parse(payload.body) };
}

describe.each(TARGETS)("%s", (kind, who, written) => {
  test("notifies exactly those who are named, whatever the events say", async () => {
    const everybody = [...HOSTILE_TITLES, ...written, ...who].map((title) =>
      event(title, "2026-11-21T09:00", "2026-11-21T10:00", { location: title, description: title }),
    );
    const moment = { zone: ZONE, now: NOW, showCalendar: true };
    for (const message of [
      createDigest([DINNER], OPTIONS),
      createDigest(HOSTILE_WEEK, { ...OPTIONS, title: HOSTILE_TITLES.join(" ").slice(0, 200) }),
      createDigest(everybody, { ...OPTIONS, title: written.join(" ") }),
      ...everybody.map((one) => createReminder([one], moment)),
      createTextMessage(written.join(" "), everybody.map(({ title }) => title).join("\n")),
    ]) {
      expect((await mentioned(kind, message)).mentions).toEqual(new Set());
      expect((await mentioned(kind, message, who)).mentions).toEqual(new Set(written));
    }
  });

  test.each(["@nobody here", "", "<!here>", "x\ny", "-1", "@everyone @here"])(
    "does not know %j: exit 2 before anything is sent",
    async (wrong) => {
      const { run } = await createHarness();
      const argv = [
        "post",
        "-p",
        "local",
        "--as",
        kind,
        "--dry-run",
        ...placeFlags(kind),
        "--if-empty",
        "say",
      ];
      for (const command of [argv, ["remind", "--before", "15m", ...argv.slice(1, -2)]]) {
        expect(await run(...command, "--mention", wrong)).toMatchObject(failed(2, "--mention"));
        expect((await run(...command, ...who.flatMap((one) => ["--mention", one]))).exitCode).toBe(0);
      }
    },
  );
});

test("discord allows exactly those who are named", async () => {
  const allowed = async (...who: readonly string[]) =>
    (await mentioned("discord", createDigest([DINNER], OPTIONS), who)).body.allowed_mentions;
  expect(await allowed()).toEqual({ parse: [] });
  expect(await allowed("80351110224678912")).toEqual({ parse: [], users: ["80351110224678912"] });
  expect(await allowed("@everyone")).toEqual({ parse: ["everyone"] });
});

test("one given twice is mentioned once, and an empty one is exit 2", async () => {
  const { run } = await createHarness();
  const argv = ["post", "-p", "local", "--as", "slack", "--dry-run", "--if-empty", "say", "--mention"];
  const { stdout } = await run(...argv, "@here", "--mention", "@here");
  const { stdout: once } = await run(...argv, "@here");
  expect(stdout).toBe(once);
  expect(await run(...argv, "")).toMatchObject(failed(2, "--mention is empty"));
});

test("slack's notification begins with the first line all the same", async () => {
  const { body } = await mentioned("slack", createDigest([DINNER], OPTIONS), ["@here"]);
  expect(body.text).toBe("This week <!here>");
});

test.each(["ntfy", "json", "mail"])("%s has no mentions: exit 2, and nothing is sent", async (kind) => {
  const world = await createPostWorld();
  await world.create("Lunch", ...todayAt("12:00"));
  const to = kind === "mail" ? ["--to", "ana@example.org"] : [];
  expect(await world.send("post", "--as", kind, ...to, "--mention", "@here")).toMatchObject(
    failed(2, `${kind} has no mentions`),
  );
  expect(world.hook.requests).toEqual([]);
});

test("a program mentions nobody: exit 2", async () => {
  const { run } = await createHarness();
  const { exitCode } = await run(...words`remind -p local --before 1h --mention @here -- true`);
  expect(exitCode).toBe(2);
});
