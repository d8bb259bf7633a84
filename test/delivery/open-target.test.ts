import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createDeliveryWorld, type DeliveryWorld } from "../commands/messages/support/delivery.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Which target a request means, and what is wrong with one that cannot be opened. */

const URL_A = "https://hooks.slack.com/services/T0/B0/sentinel-aaaaaaaa";
const BOT = "123456789:AAF-sentinel_0123456789abcdefghijk";

let world: DeliveryWorld;

beforeEach(() => {
  world = createDeliveryWorld();
});

const add = (stdin: string, ...argv: readonly string[]) =>
  world.run(stdin, "targets", "add", ...argv, "--insecure-storage");

async function expectRefusal(opening: Promise<unknown>, exitCode: number, words: string): Promise<void> {
  const error = await opening.catch((reason: unknown) => reason);
  expect(error, words).toMatchObject({ exitCode, message: expect.stringContaining(words) });
  expect(JSON.stringify(error), words).not.toContain("sentinel");
}

describe("a saved target", () => {
  test("is found by its name, and its id is no secret", async () => {
    await add(URL_A, "team", "--as", "slack");
    expect(await world.open({ to: "team" })).toMatchObject({
      kind: "slack",
      name: "target team",
      id: "webhook:team",
    });
    expect(await world.open({ to: "team", as: "slack" })).toMatchObject({ kind: "slack" });
  });

  test("of telegram has its chat, or another one, whose id differs", async () => {
    await add(BOT, "family", "--as", "telegram", "--chat", "1");
    expect(await world.open({ to: "family" })).toMatchObject({ chat: "1", id: "webhook:family" });
    expect(await world.open({ to: "family", chat: "@news" })).toMatchObject({
      chat: "@news",
      id: "webhook:family @news",
    });
  });

  test("of telegram has its topic, which belongs to the saved chat", async () => {
    await add(BOT, "family", "--as", "telegram", "--chat", "1", "--topic", "42");
    expect(await world.open({ to: "family" })).toMatchObject({
      chat: "1",
      topic: "42",
      id: "webhook:family",
    });
    expect(await world.open({ to: "family", topic: "7" })).toMatchObject({
      topic: "7",
      id: "webhook:family topic 7",
    });
    const other = await world.open({ to: "family", chat: "2" });
    expect([other.topic, other.id]).toEqual([undefined, "webhook:family 2"]);
  });

  test("of mail has its sender and its blind copies, which make it another one", async () => {
    const flags = [
      "--to",
      "ana@example.org,b@example.org",
      "--from",
      "cal@example.org",
      "--bcc",
      "c@example.org",
    ];
    await world.run("", "targets", "add", "all", "--as", "mail", ...flags);
    expect(await world.open({ to: "all" })).toMatchObject({
      to: "ana@example.org, b@example.org",
      from: "cal@example.org",
      bcc: "c@example.org",
      id: "mail:ana@example.org, b@example.org bcc c@example.org",
    });
  });

  test("of mail has its addresses", async () => {
    await world.run("", "targets", "add", "me", "--as", "mail", "--to", "ana@example.org");
    const mail = { kind: "mail", to: "ana@example.org", id: "mail:ana@example.org" };
    expect(await world.open({ to: "me" })).toMatchObject(mail);
    expect(await world.open({ to: "me", as: "mail" })).toMatchObject(mail);
    expect(await world.open({ to: "ana@example.org", as: "mail" })).toMatchObject(mail);
  });

  test("that does not exist, or does not have what is asked for, is refused without its secrets", async () => {
    await add(URL_A, "team", "--as", "slack");
    for (const [request, exitCode, words] of [
      [{ to: "taem" }, 5, 'there is no target "taem"'],
      [{ to: URL_A }, 2, "not its URL"],
      [{ to: BOT }, 2, "not its URL"],
      [{ to: "team", as: "discord" }, 2, "target team is for slack"],
      [{ to: "xoxb-sentinel-0123456789" }, 2, "not its URL"],
      [{ to: "team", chat: "1" }, 2, "only telegram has chats, not slack"],
      [{ to: "team", topic: "1" }, 2, "only telegram has topics, not slack"],
      [{ to: "ana@example.org", as: "mail", topic: "1" }, 2, "only telegram has topics, not mail"],
      [{ to: "team", ics: true }, 2, "only mail has attachments, not slack"],
      [{ to: "ana@example.org" }, 5, "there is no target"],
      [{ as: "mail" }, 2, "missing --to ADDRESS"],
      [{ to: "a@b\nBcc: c@d", as: "mail" }, 2, "is not an email address"],
    ] as const)
      await expectRefusal(world.open(request), exitCode, words);
  });

  test("whose URL is gone, broken or of another kind is exit 10", async () => {
    const config = join(world.directory, "config.json");
    await add(URL_A, "team", "--as", "slack");
    const edit = (from: string, to: string) =>
      writeFileSync(config, readFileSync(config, "utf8").replace(from, to));
    edit('"slack"', '"discord"');
    expect(await openFailure("team")).toMatchObject({
      exitCode: 10,
      message: "the URL of target team is no longer in the file",
      hint: "add it again: calctl targets add team --as KIND --replace",
    });
    edit('"discord"', '"matrix"');
    expect(await openFailure("team")).toMatchObject({
      exitCode: 10,
      message: expect.stringContaining("matrix"),
    });
    edit('"matrix"', '"slack"');
    edit('"file"', '"vault"');
    expect(await openFailure("team")).toMatchObject({
      exitCode: 10,
      message: expect.stringContaining("vault"),
    });
  });

  const openFailure = (to: string) => world.open({ to }).catch((reason: unknown) => reason);
});

describe("the target of the environment", () => {
  const open = (env: Readonly<Record<string, string>>, request = { as: "slack" } as const) =>
    world.open(request, { env }).catch((reason: unknown) => reason);

  test("is its variable, the credential of systemd, or the file of its other variable, in this order", async () => {
    const folder = temporaryFolder();
    const [credential, file] = [join(folder, "calctl-webhook-url"), join(folder, "url")];
    for (const path of [credential, file])
      writeFileSync(path, `${URL_A}-${path === file}\n`, { mode: 0o400 });
    const env = { CREDENTIALS_DIRECTORY: folder, CALCTL_WEBHOOK_URL_FILE: file };
    expect(await open({ CALCTL_WEBHOOK_URL: URL_A, ...env })).toMatchObject({ name: "CALCTL_WEBHOOK_URL" });
    expect(await open(env)).toMatchObject({ name: `CREDENTIALS_DIRECTORY: ${credential}` });
    rmSync(credential);
    expect(await open(env)).toMatchObject({ name: `CALCTL_WEBHOOK_URL_FILE: ${file}` });
    writeFileSync(join(folder, "empty"), "\n");
    expect(await open({ CALCTL_WEBHOOK_URL_FILE: join(folder, "empty") })).toMatchObject({
      exitCode: 10,
      message: expect.stringContaining("it is empty"),
    });
  });

  test("has an id that is the same in every run, and shows nothing of the URL", async () => {
    const env = { CALCTL_WEBHOOK_URL: URL_A };
    const [one, again, other] = [
      await open(env),
      await open(env),
      await open({ CALCTL_WEBHOOK_URL: `${URL_A}b` }),
    ];
    expect(one).toMatchObject({ kind: "slack", id: expect.stringMatching(/^url:[0-9a-f]{32}$/) });
    expect(again).toMatchObject({ id: (one as { readonly id: string }).id });
    expect(other).not.toMatchObject({ id: (one as { readonly id: string }).id });
  });

  test("of telegram is another one for each chat of a bot", async () => {
    const env = { CALCTL_WEBHOOK_URL: BOT };
    const idOf = async (chat: string) => (await world.open({ as: "telegram", chat }, { env })).id;
    const [news, family] = [await idOf("@news"), await idOf("-100123")];
    expect(family).not.toBe(news);
    expect(await idOf("@news")).toBe(news);
  });

  test("is not used for a name", async () => {
    const error = await world
      .open({ to: "team" }, { env: { CALCTL_WEBHOOK_URL: URL_A } })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ exitCode: 5 });
  });

  test("that is not whole is refused without its secrets", async () => {
    const wrong: readonly (readonly [Readonly<Record<string, string>>, object, number, string])[] = [
      [{}, { as: "slack" }, 2, "missing --to"],
      [{}, { as: "slack", flag: "--post" }, 2, "missing --post"],
      [{ CALCTL_WEBHOOK_URL: URL_A }, {}, 2, "CALCTL_WEBHOOK_URL needs --as"],
      [{ CALCTL_WEBHOOK_URL: "" }, { as: "slack" }, 10, "CALCTL_WEBHOOK_URL is set but empty"],
      [{ CALCTL_WEBHOOK_URL_FILE: "" }, { as: "slack" }, 10, "CALCTL_WEBHOOK_URL_FILE is set but empty"],
      [{ CALCTL_WEBHOOK_URL_FILE: "/nowhere" }, { as: "slack" }, 10, "no such file or directory"],
      [{ CALCTL_WEBHOOK_URL: "sentinel" }, { as: "slack" }, 10, "it is not an https URL"],
      [{ CALCTL_WEBHOOK_URL: URL_A }, { as: "discord" }, 10, "takes messages of slack"],
      [{}, { as: "slack", chat: "1" }, 2, "only telegram has chats"],
      [{}, { as: "telegram" }, 2, "missing --to and --chat"],
      [{ CALCTL_WEBHOOK_URL: BOT }, { as: "telegram" }, 2, "missing --chat"],
    ];
    for (const [env, request, exitCode, words] of wrong)
      await expectRefusal(world.open(request, { env }), exitCode, words);
  });
});

describe("with --dry-run", () => {
  test("no secret is read, and nothing can be delivered", async () => {
    await add(URL_A, "team", "--as", "slack");
    rmSync(join(world.directory, "tokens"), { recursive: true, force: true });
    const { error } = await world.deliver({ to: "team" }, { flags: { dryRun: true } });
    expect(error).toMatchObject({ exitCode: 2 });
    const mail = await world.deliver({ to: "a@example.org", as: "mail" }, { flags: { dryRun: true } });
    expect(mail.error).toMatchObject({ exitCode: 2 });
  });
});
