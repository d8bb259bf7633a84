import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { startFaultServer } from "../../support/fault-server.js";
import { reply } from "../../support/fault-steps.js";
import { createHarness, type Harness } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";

/** Saved targets: what is taken, where it is kept, and what is said. */

const URL_A = "https://hooks.slack.com/services/T0/B0/sentinel-aaaaaaaa";
const URL_B = "https://hooks.slack.com/services/T0/B0/sentinel-bbbbbbbb";

const CHAT = ["--as", "telegram", "--chat", "1"];
const MAIL = ["--as", "mail", "--to", "a@example.org"];

let harness: Harness;

beforeEach(async () => {
  harness = await createHarness();
});

function add(stdin: string, ...argv: readonly string[]) {
  const words = argv.includes("mail") ? argv : [...argv, "--insecure-storage"];
  return harness.runWith({ stdin }, "targets", "add", ...words);
}

function config(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(harness.directory, "config.json"), "utf8"));
}

/** The files with secrets, as text. */
function secrets(): readonly string[] {
  const folder = join(harness.directory, "tokens");
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
}

describe("targets add", () => {
  test("keeps the URL apart from the configuration", async () => {
    expect(await add(`${URL_A}\n`, "team", "--as", "slack")).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "saved target team\nits URL is stored unencrypted in a file\n",
    });
    expect(config()).toEqual({ profiles: {}, targets: { team: { as: "slack", store: "file" } } });
    expect(secrets()).toEqual([expect.stringContaining(URL_A)]);
  });

  test("takes it from a file, without the newline and the mark at its ends", async () => {
    const file = join(harness.directory, "url");
    writeFileSync(file, `\ufeff${URL_A}\r\n`);
    expect((await add("", "team", "--as", "slack", "--url-file", file)).exitCode).toBe(0);
    expect(secrets()).toEqual([expect.stringContaining(`"url":"${URL_A}"`)]);
  });

  test.each([
    [
      { chat: "-100123", topic: "42" },
      { to: "a@example.org", from: "cal@example.org", bcc: "b@example.org" },
    ],
    [{ chat: "-100123" }, { to: "ana@example.org, b@example.org" }],
  ])(
    "keeps the place of telegram and the addresses of mail, which has no URL: %j, %j",
    async (place, addresses) => {
      const token = "123456789:AAF-sentinel_0123456789abcdefghijk";
      const flags = (values: object) =>
        Object.entries(values).flatMap(([name, value]) => [`--${name}`, value.replace(", ", ",")]);
      expect((await add(token, "family", "--as", "telegram", ...flags(place))).exitCode).toBe(0);
      expect((await add("", "me", "--as", "mail", ...flags(addresses))).exitCode).toBe(0);
      expect(config()["targets"]).toEqual({
        family: { as: "telegram", ...place, store: "file" },
        me: { as: "mail", ...addresses },
      });
      expect(secrets()).toEqual([expect.stringContaining(`bot${token}/sendMessage`)]);
    },
  );

  test("refuses a name that exists, unless --replace is given", async () => {
    await add(URL_A, "team", "--as", "slack");
    expect(await add(URL_B, "team", "--as", "slack")).toMatchObject(
      failed(2, "there is already a target team (slack)"),
    );
    expect(secrets()).toEqual([expect.stringContaining(URL_A)]);
    expect((await add(URL_B, "team", "--as", "slack", "--replace")).exitCode).toBe(0);
    expect(secrets()).toEqual([expect.stringContaining(URL_B)]);
    expect((await add("https://ntfy.sh/sentinel", "team", "--as", "ntfy", "--replace")).exitCode).toBe(0);
    expect(secrets()).toEqual([expect.stringContaining("ntfy.sh")]);
    expect((await add("", "team", "--as", "mail", "--to", "ana@example.org", "--replace")).exitCode).toBe(0);
    expect(secrets()).toEqual([]);
    expect(config()["targets"]).toEqual({ team: { as: "mail", to: "ana@example.org" } });
  });

  test("with what is no target is exit 2, and keeps and repeats nothing", async () => {
    const wrong: readonly (readonly [readonly string[], string, string])[] = [
      [["team"], URL_A, "missing --as"],
      [["team", "--as", "irc"], URL_A, "--as"],
      [["team", "--as", "slack"], "", "stdin: it is empty"],
      [["team", "--as", "slack", "--url-file", "/nowhere"], "", "no such file or directory"],
      [["team", "--as", "slack"], "sentinel", "it is not an https URL"],
      [["team", "--as", "slack"], `${URL_A}\n${URL_B}\n`, "line breaks"],
      [["team", "--as", "slack"], "not a url", "stdin: it must not contain spaces or line breaks\n"],
      [["team", "--as", "discord"], URL_A, "hooks.slack.com takes messages of slack"],
      [[URL_A, "--as", "slack"], URL_A, "not its URL"],
      [
        ["123456789:AAF-sentinel_0123456789abcdefghijk", "--as", "telegram", "--chat", "1"],
        "",
        "not its URL",
      ],
      [["team", "--as", "slack", "--url-file", URL_A], "", "not a URL"],
      [["team", "--as", "telegram", "--chat", URL_A], "", "is not the id of a chat"],
      [["me", "--as", "mail", "--to", URL_A], "", "is not an email address"],
      [["team", URL_A, "--as", "slack"], "", "renew the URL"],
      [["my team", "--as", "slack"], URL_A, "not a valid name of a target"],
      [["", "--as", "slack"], URL_A, "the name of the target is empty"],
      [["team", "--as", "telegram"], "x", "missing --chat"],
      [["team", "--as", "telegram", "--chat", "a b"], "x", "is not the id of a chat"],
      [["xoxb-sentinel-0123456789", "--as", "slack"], URL_A, "not its URL"],
      [["team", "--as", "slack", "--chat", "1"], URL_A, "only telegram has chats"],
      [["team", "--as", "slack", "--to", "a@example.org"], URL_A, "only mail has addresses"],
      [["me", "--as", "mail"], "", "missing --to"],
      [["me", "--as", "mail", "--to", "ana"], "", "is not an email address"],
      [["team", "--as", "slack", "--topic", "1"], URL_A, "--topic: only telegram has topics, not slack"],
      [["team", ...CHAT, "--topic", "General"], URL_A, '--topic: "General" is not the id of a topic'],
      [
        ["team", "--as", "slack", "--from", "a@b.example"],
        URL_A,
        "--from: only mail has addresses, not slack",
      ],
      [["team", "--as", "ntfy", "--bcc", "a@b.example"], URL_A, "--bcc: only mail has addresses, not ntfy"],
      [["me", ...MAIL, "--from", "ana"], "", '--from: "ana" is not an email address'],
      [["me", ...MAIL, "--from", "a@b.example,c@b.example"], "", "an email has one sender"],
      [["me", ...MAIL, "--bcc", "a@b\nTo: x@y"], "", "--bcc: the value is not an email address"],
    ];
    for (const [argv, stdin, words] of wrong) {
      const result = await add(stdin, ...argv);
      expect(result, argv.join(" ")).toMatchObject(failed(2, words));
      expect(result.stderr).not.toContain("sentinel");
    }
    expect(readdirSync(harness.directory)).not.toContain("config.json");
    expect(secrets()).toEqual([]);
  });

  test("--insecure-storage of mail, which keeps no secret, is exit 2", async () => {
    const argv = ["targets", "add", "me", "--as", "mail", "--to", "ana@example.org", "--insecure-storage"];
    expect(await harness.run(...argv)).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test("restores the URL when the configuration cannot be written", async () => {
    await add(URL_A, "team", "--as", "slack");
    // A file where the lock's folder belongs.
    writeFileSync(join(harness.directory, "config.json.lock"), "");
    expect((await add(URL_B, "team", "--as", "slack", "--replace")).exitCode).toBe(10);
    expect((await add(URL_B, "other", "--as", "slack")).exitCode).toBe(10);
    expect(secrets()).toEqual([expect.stringContaining(URL_A)]);
  });
});

describe("targets list", () => {
  test("has names and kinds in every format, sorted, and no URL", async () => {
    await add(URL_B, "zoo", "--as", "slack");
    await add(URL_A, "team", "--as", "slack");
    expect(await harness.json("targets", "list")).toEqual([
      { name: "team", as: "slack" },
      { name: "zoo", as: "slack" },
    ]);
    const outputs: string[] = [];
    for (const format of ["table", "tsv", "csv", "ndjson", "markdown", "text"]) {
      const { exitCode, stdout } = await harness.run("targets", "list", "-o", format);
      expect({ format, exitCode }).toEqual({ format, exitCode: 0 });
      expect(stdout).toContain("team");
      outputs.push(stdout);
    }
    expect(outputs.join()).not.toContain("sentinel");
    expect((await harness.run("targets", "list", "-o", "tsv")).stdout).toBe("team\tslack\nzoo\tslack\n");
  });

  test("is empty without any", async () => {
    expect(await harness.json("targets", "list")).toEqual([]);
    expect(await harness.runWith({ columns: 80 }, "targets", "list")).toMatchObject({
      stderr: "no targets\n",
    });
  });

  test("shows what another version has saved, and keeps it", async () => {
    const targets = { new: { as: "matrix", store: "vault", room: "!x" } };
    writeFileSync(join(harness.directory, "config.json"), JSON.stringify({ targets, future: [1] }));
    expect(await harness.json("targets", "list")).toEqual([{ name: "new", as: "matrix" }]);
    await add(URL_A, "team", "--as", "slack");
    await harness.run("config", "set", "timezone", "UTC", "-p", "local");
    expect(config()).toMatchObject({ targets, future: [1] });
    const { exitCode, stderr } = await harness.run("targets", "remove", "new");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr:
        'the URL of target new may still be in "vault", a store that this version does not know\nremoved target new\n',
    });
  });
});

describe("targets remove", () => {
  test("removes the URL too", async () => {
    await add(URL_A, "team", "--as", "slack");
    expect(await harness.run("targets", "remove", "team")).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "removed target team\n",
    });
    expect(secrets()).toEqual([]);
    expect(await harness.json("targets", "list")).toEqual([]);
  });

  test("of an unknown name is exit 5 with the names that there are", async () => {
    await add(URL_A, "team", "--as", "slack");
    const { exitCode, stderr } = await harness.run("targets", "remove", "taem", "-o", "json");
    expect(exitCode).toBe(5);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: "not_found",
      message: 'there is no target "taem"',
      hint: "did you mean team?",
    });
    expect((await harness.run("targets", "remove", URL_A)).stderr).not.toContain("sentinel");
  });
});

describe("targets test", () => {
  const TITLE = "This is a test of calctl (target team)";

  async function addTeam(as: string) {
    const hook = await startFaultServer({ timers: harness.timers });
    await add(`${hook.baseUrl}/hook/sentinel`, "team", "--as", as);
    return hook;
  }

  test("posts one line, and says nothing unless a terminal asks for it", async () => {
    const hook = await addTeam("slack");
    hook.otherwise([reply({ status: 200, headers: {}, body: "ok" })]);
    expect(await harness.run("targets", "test", "team")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(await harness.runWith({ columns: 80 }, "targets", "test", "team")).toMatchObject({
      exitCode: 0,
      stderr: "posted to target team\n",
    });
    expect(hook.requests.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { text: TITLE, blocks: [{ type: "header", text: { type: "plain_text", text: TITLE } }] },
      expect.anything(),
    ]);
  });

  test.each([
    [401, 6],
    [404, 11],
    [500, 9],
  ])("ends as post does: %i is exit %i", async (status, exitCode) => {
    const hook = await addTeam("discord");
    hook.otherwise([reply({ status, headers: {}, body: "" })]);
    expect((await harness.run("targets", "test", "team")).exitCode).toBe(exitCode);
    expect(hook.requests).toHaveLength(1);
  });

  test("of an unknown name is exit 5", async () => {
    expect((await harness.run("targets", "test", "team")).exitCode).toBe(5);
  });

  test.each(["slack", "telegram"])("--dry-run prints what %s would take, and posts nothing", async (kind) => {
    const token = "123456789:AAF-sentinel_0123456789abcdefghijk";
    const [url, ...place] = kind === "telegram" ? [token, "--chat", "1"] : [URL_A];
    expect((await add(url ?? "", "team", "--as", kind, ...place)).exitCode).toBe(0);
    const { exitCode, stdout } = await harness.run("targets", "test", "team", "--dry-run");
    expect({ exitCode, request: JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      request: { text: expect.stringContaining(TITLE) },
    });
  });

  test("--dry-run prints the title as the text that ntfy would take, since the message has no other", async () => {
    expect((await add("https://ntfy.sh/sentinel", "team", "--as", "ntfy")).exitCode).toBe(0);
    const { stdout } = await harness.run("targets", "test", "team", "--dry-run");
    expect(stdout).toBe(`${TITLE}\n`);
  });
});

test("--dry-run changes nothing: exit 2", async () => {
  await add(URL_A, "team", "--as", "slack");
  for (const argv of [
    ["add", "other", "--as", "slack", "--insecure-storage"],
    ["remove", "team"],
  ]) {
    expect(await harness.runWith({ stdin: URL_B }, "targets", ...argv, "--dry-run")).toMatchObject(
      failed(2, "--dry-run: this command changes something"),
    );
  }
  expect(secrets()).toEqual([expect.stringContaining(URL_A)]);
  expect(await harness.json("targets", "list")).toEqual([{ name: "team", as: "slack" }]);
});
