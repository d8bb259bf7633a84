import { describe, expect, test } from "vitest";
import { type Channel, SLACK_CHANNEL, SLACK_TOKEN, serveChannel } from "../support/chat/channel.js";
import { reply } from "../support/fault-steps.js";
import { failed } from "../support/outcomes.js";
import { createPostWorld, type PostWorld, todayAt } from "../support/post-world.js";

/** `post --update`: the digest of the day is changed in place. It is 15:30 in Berlin. */

const QUIET = { exitCode: 0, stdout: "", stderr: "" };
const LOST_ANSWER = { status: 502, headers: {}, body: "" };
const LOST = [reply(LOST_ANSWER)];

const TARGETS = {
  discord: ["--as", "discord"],
  telegram: ["--as", "telegram", "--chat", "-100"],
  "slack-bot": ["--as", "slack-bot", "--channel", SLACK_CHANNEL],
} as const;
const PATHS = {
  discord: "/hook/s3cret",
  telegram: `/bot1:${"s3cret".repeat(5)}`,
  "slack-bot": "/api/chat.postMessage",
} as const;

/** An edit by PATCH is repeated at once. */
const ATTEMPTS = { discord: [1, 2, 3, 4], telegram: [1], "slack-bot": [1] } as const;

function placeOf(kind: keyof typeof TARGETS) {
  return { path: PATHS[kind], ...(kind === "slack-bot" && { token: SLACK_TOKEN }) };
}

interface UpdateWorld extends PostWorld, Channel {
  post(...flags: readonly string[]): ReturnType<PostWorld["send"]>;
  /** What the channel shows. */
  shown(): readonly string[];
}

async function createUpdateWorld(kind: keyof typeof TARGETS): Promise<UpdateWorld> {
  const world = await createPostWorld(placeOf(kind));
  const channel = serveChannel(world.hook, kind);
  await world.create("Lunch", ...todayAt("16:00"));
  return {
    ...world,
    ...channel,
    post: (...flags) => world.send("post", ...TARGETS[kind], ...flags),
    shown: () => [...channel.messages.values()],
  };
}

describe.each(Object.keys(TARGETS) as (keyof typeof TARGETS)[])("%s", (kind) => {
  test("the digest is changed in place when its events changed, and nothing is sent otherwise", async () => {
    const world = await createUpdateWorld(kind);
    for (const _ of [1, 2]) expect(await world.post("--update")).toEqual(QUIET);
    expect(world.hook.requests).toHaveLength(1);
    await world.create("Dinner", ...todayAt("19:00"));
    for (const _ of [1, 2]) expect(await world.post("--update")).toEqual(QUIET);
    expect(world.hook.requests).toHaveLength(2);
    expect(world.shown()).toEqual([expect.stringMatching(/2 events.*Dinner/s)]);
  });

  test("one that --once has sent is changed, and --once alone changes nothing", async () => {
    const world = await createUpdateWorld(kind);
    expect(await world.post("--once")).toEqual(QUIET);
    await world.create("Dinner", ...todayAt("19:00"));
    expect(await world.post("--once")).toEqual(QUIET);
    expect(world.shown()).toEqual([expect.not.stringContaining("Dinner")]);
    expect(await world.post("--update")).toEqual(QUIET);
    expect(world.shown()).toEqual([expect.stringContaining("Dinner")]);
  });

  test("a message that is gone is posted anew, and changed from then on", async () => {
    const world = await createUpdateWorld(kind);
    expect(await world.post("--update")).toEqual(QUIET);
    world.messages.clear();
    expect(await world.post("--update")).toEqual(QUIET);
    expect(world.shown()).toEqual([]);
    for (const title of ["Dinner", "Party"]) {
      await world.create(title, ...todayAt("19:00"));
      expect(await world.post("--update")).toEqual(QUIET);
      expect(world.shown()).toEqual([expect.stringContaining(title)]);
    }
  });

  test("two runs at once post once, also where the message is gone", async () => {
    const world = await createUpdateWorld(kind);
    for (const title of ["Dinner", "Party"]) {
      world.messages.clear();
      await world.create(title, ...todayAt("19:00"));
      const runs = await Promise.all([world.post("--update"), world.post("--update")]);
      // One may have waited for the other for too long: the clock does not wait for it.
      for (const { exitCode } of runs) expect([0, 8]).toContain(exitCode);
      expect(runs).toContainEqual(QUIET);
      expect(await world.post("--update")).toEqual(QUIET);
      expect(world.shown()).toEqual([expect.stringContaining(title)]);
    }
  });

  test("without its events it says so, and without a message nothing is posted", async () => {
    const world = await createPostWorld(placeOf(kind));
    const { messages } = serveChannel(world.hook, kind);
    const post = () => world.send("post", ...TARGETS[kind], "--update");
    expect(await post()).toEqual(QUIET);
    expect(messages.size).toBe(0);
    const id = await world.create("Lunch", ...todayAt("16:00"));
    expect(await post()).toEqual(QUIET);
    await world.json("events", "delete", id, "--yes");
    expect(await post()).toEqual(QUIET);
    expect([...messages.values()]).toEqual([expect.stringContaining("No events")]);
    messages.clear();
    await world.create("Lunch", ...todayAt("16:00"));
    expect(await post()).toEqual(QUIET);
    expect([...messages.values()]).toEqual([expect.stringContaining("Lunch")]);
  });

  test("an edit without an answer is exit 8, and made by the next run", async () => {
    const world = await createUpdateWorld(kind);
    expect(await world.post("--update")).toEqual(QUIET);
    await world.create("Dinner", ...todayAt("19:00"));
    world.hook.next(...ATTEMPTS[kind].map(() => LOST));
    expect(await world.post("--update")).toMatchObject({ exitCode: 8, stdout: "" });
    expect(await world.post("--update")).toEqual(QUIET);
    expect(world.shown()).toEqual([expect.stringContaining("Dinner")]);
  });

  test("a message without an answer is exit 9 in this run alone, and never posted twice", async () => {
    const world = await createUpdateWorld(kind);
    world.hook.next(LOST);
    expect(await world.post("--update")).toMatchObject({ exitCode: 9 });
    await world.create("Dinner", ...todayAt("19:00"));
    expect(await world.post("--update")).toEqual(QUIET);
    expect(world.hook.requests).toHaveLength(1);
  });

  test("sent says what it says now, and when it was posted", async () => {
    const world = await createUpdateWorld(kind);
    await world.post("--update");
    await world.create("Dinner", ...todayAt("19:00"));
    world.setNow(Date.parse("2026-11-21T15:00:00.000Z"));
    await world.post("--update");
    const { stdout } = await world.send("sent", "-o", "json");
    expect(JSON.parse(stdout)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{12}$/),
        command: "post",
        target: expect.any(String),
        what: "Today, Sat 21 Nov: 2 events, first 16:00 Lunch",
        at: "2026-11-21T14:30:00.000Z",
        outcome: "sent",
      },
    ]);
  });

  test("--dry-run says what would be done, and does nothing", async () => {
    const world = await createUpdateWorld(kind);
    const plan = async () => {
      const { exitCode, stdout, stderr } = await world.post("--update", "--dry-run");
      expect(exitCode).toBe(0);
      return { says: stderr, prints: stdout.includes("Lunch") };
    };
    expect(await plan()).toEqual({ says: "would be posted to CALCTL_WEBHOOK_URL\n", prints: true });
    await world.post("--update");
    const unchanged = "nothing would be sent: unchanged since it was posted to CALCTL_WEBHOOK_URL\n";
    expect(await plan()).toEqual({ says: unchanged, prints: false });
    await world.create("Dinner", ...todayAt("19:00"));
    const updates = "would be updated at CALCTL_WEBHOOK_URL\n";
    expect(await plan()).toEqual({ says: updates, prints: true });
    expect(world.hook.requests).toHaveLength(1);
  });
});

test.each([
  [["--as", "slack"], "--update: only discord, telegram, slack-bot can change messages in place, not slack"],
  [["--as", "discord", "--changes", "news"], "give either --changes or --update, not both"],
])("--update with %j is exit 2 before anything is sent", async (flags, message) => {
  const world = await createUpdateWorld("discord");
  const result = await world.send("post", "--update", ...flags);
  expect(result).toMatchObject(failed(2, message));
  expect(world.hook.requests).toHaveLength(0);
});

test("telegram: an edit that was made before counts as made", async () => {
  const world = await createUpdateWorld("telegram");
  await world.post("--update");
  await world.create("Dinner", ...todayAt("19:00"));
  // Made, but its answer does not arrive.
  world.hook.next([
    reply(({ body }) => {
      world.messages.set("41", JSON.parse(body.toString("utf8")).text);
      return LOST_ANSWER;
    }),
  ]);
  expect((await world.post("--update")).exitCode).toBe(8);
  expect(await world.post("--update")).toEqual(QUIET);
  expect(world.shown()).toEqual([expect.stringContaining("Dinner")]);
});

test("a thread stays the place of the message", async () => {
  const world = await createUpdateWorld("discord");
  const env = {
    CALCTL_PROFILE: "local",
    CALCTL_WEBHOOK_URL: `${world.hook.baseUrl}/hook/s3cret?thread_id=7`,
    CALCTL_STATE_DIR: `${world.directory}/state`,
  };
  for (const title of ["Dinner", "Party"]) {
    await world.create(title, ...todayAt("19:00"));
    const result = await world.runWith({ env }, "post", "--as", "discord", "--update");
    expect(result).toEqual(QUIET);
  }
  expect(world.hook.requests.map(({ target }) => target)).toEqual([
    "/hook/s3cret?thread_id=7&wait=true",
    "/hook/s3cret/messages/1200000000000000000?thread_id=7",
  ]);
});

test("without events --again posts nothing, and changes what shows some", async () => {
  const world = await createPostWorld();
  const { messages } = serveChannel(world.hook, "discord");
  const id = await world.create("Lunch", ...todayAt("16:00"));
  const post = (...flags: readonly string[]) => world.send("post", "--as", "discord", "--update", ...flags);
  expect(await post()).toEqual(QUIET);
  await world.json("events", "delete", id, "--yes");
  expect(await post("--again")).toEqual(QUIET);
  expect([...messages.values()]).toEqual([expect.stringContaining("No events")]);
});

test("discord: a 404 that does not say that the message is gone is exit 11, and posts nothing", async () => {
  const world = await createUpdateWorld("discord");
  await world.post("--update");
  await world.create("Dinner", ...todayAt("19:00"));
  const body = JSON.stringify({ message: "Unknown Webhook", code: 10015 });
  for (const answer of [body, "<html>not found</html>"]) {
    world.hook.next([reply({ status: 404, headers: {}, body: answer })]);
    expect((await world.post("--update")).exitCode).toBe(11);
  }
  expect(world.hook.requests).toHaveLength(3);
  expect(await world.post("--update")).toEqual(QUIET);
  expect(world.shown()).toEqual([expect.stringContaining("Dinner")]);
});

test("a saved bot of slack posts tests, digests and reminders into its channel, and nothing shows its token", async () => {
  const world = await createUpdateWorld("slack-bot");
  const stdin = `${world.hook.baseUrl.replace("://", `://:${SLACK_TOKEN}@`)}/api/chat.postMessage`;
  const place = ["--as", "slack-bot", "--channel", SLACK_CHANNEL, "--insecure-storage"];
  expect((await world.runWith({ stdin }, "webhooks", "add", "team", ...place)).exitCode).toBe(0);
  const runs = [
    await world.send("webhooks", "test", "team", "--debug"),
    await world.send("post", "--to", "team", "--update", "--debug"),
    await world.send("remind", "--before", "1h", "--post", "team", "--debug"),
    await world.send("doctor", "--to", "team", "--debug"),
    await world.send("doctor", ...place.slice(0, -1)),
  ];
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0]);
  expect(runs.map(({ stderr, stdout }) => stderr + stdout).join("")).not.toContain(SLACK_TOKEN);
  expect(runs.at(-1)?.stdout).toContain(`--as slack-bot --channel ${SLACK_CHANNEL}`);
  expect(world.shown()).toEqual(
    ["This is a test", "1 event", "In 30 min: Lunch"].map((words) => expect.stringContaining(words)),
  );
  const elsewhere = await world.send("post", "--to", "team", "--channel", "C00000001", "--once");
  expect(elsewhere).toMatchObject(failed(6, "(channel_not_found)"));
});
