import { describe, expect, test } from "vitest";
import { createDigest, createReminder, createTextMessage } from "../../src/commands/messages/message.js";
import { renderMessage } from "../../src/commands/messages/render.js";
import { checkMentions } from "../../src/delivery/open-target.js";
import { event, HOSTILE_TITLES, NOW, OPTIONS, PLACE, ZONE } from "../commands/messages/fixtures.js";
import { type ChatKind, mentionsIn, problemsOf } from "../commands/messages/support/published-limits.js";
import { failed } from "../support/outcomes.js";
import { createPostWorld, todayAt } from "../support/post-world.js";

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

describe.each(TARGETS)("%s", (kind, who, written) => {
  test("notifies exactly those who are named, whatever the events say", async () => {
    const everybody = [...HOSTILE_TITLES, ...written, ...who].map((title) =>
      event(title, "2026-11-21T09:00", "2026-11-21T10:00", { location: title, description: title }),
    );
    for (const message of [
      createDigest(everybody, { ...OPTIONS, title: written.join(" ") }),
      createReminder(everybody.slice(-2), { zone: ZONE, now: NOW, showCalendar: true }),
      createTextMessage(written.join(" "), everybody.map(({ title }) => title).join("\n")),
    ]) {
      for (const [mentions, expected] of [
        [[], []],
        [who, written],
      ] as const) {
        const payload = await renderMessage(kind, message, { ...PLACE, now: NOW, mentions });
        expect(problemsOf(kind, payload)).toEqual([]);
        expect(new Set(mentionsIn(kind, payload))).toEqual(new Set(expected));
      }
    }
  });

  test("knows these, and no others", () => {
    expect(() => checkMentions(kind, Array(20).fill(who[0]))).not.toThrow();
    expect(() => checkMentions(kind, who)).not.toThrow();
    expect(() => checkMentions(kind, Array(21).fill(who[0]))).toThrow("21 are more than 20");
    for (const wrong of ["@nobody here", "", "<!here>", "x\ny", "-1", "@everyone @here"])
      expect(() => checkMentions(kind, [wrong]), wrong).toThrow(/^--mention/);
  });
});

test("discord allows exactly those who are named", async () => {
  const allowed = async (...mentions: readonly string[]) => {
    const { body } = await renderMessage("discord", createDigest([], OPTIONS), { now: NOW, mentions });
    return JSON.parse(body).allowed_mentions;
  };
  expect(await allowed("80351110224678912")).toEqual({ parse: [], users: ["80351110224678912"] });
  expect(await allowed("@everyone")).toEqual({ parse: ["everyone"] });
});

test("post and remind mention once who is given twice, and refuse whom the target does not know: exit 2", async () => {
  const world = await createPostWorld();
  await world.create("Lunch", ...todayAt("15:40"));
  for (const command of [["post"], ["remind", "--before", "15m"]]) {
    const run = (as: string, ...mentions: readonly string[]) =>
      world.send(...command, "--as", as, "--dry-run", ...mentions.flatMap((who) => ["--mention", who]));
    const { stdout } = await run("slack", "@here", "@here");
    expect(stdout.match(/<!here>/g)).toHaveLength(2);
    expect(await run("slack", "nobody")).toMatchObject(failed(2, '--mention: slack does not know "nobody"'));
    expect(await run("slack", "")).toMatchObject(failed(2, "--mention is empty"));
    expect(await run("ntfy", "@here")).toMatchObject(failed(2, "ntfy has no mentions"));
  }
  const program = await world.send("remind", "--before", "1h", "--mention", "@here", "--", "true");
  expect(program.exitCode).toBe(2);
});
