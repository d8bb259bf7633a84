import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createSecretFiles } from "../../src/secrets/secret-file.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const KEY = { kind: "token", profile: "work", origin: "https://work.example" } as const;
const OTHER = { ...KEY, origin: "https://other.example" };
const userId = process.geteuid?.() ?? 0;

let root: string;
let directory: string;

beforeEach(() => {
  root = temporaryFolder();
  directory = join(root, "calctl", "tokens");
});

function store() {
  return createSecretFiles({ directory, userId });
}

function onlyFile(): string {
  const names = readdirSync(directory);
  expect(names).toHaveLength(1);
  return join(directory, names[0] ?? "");
}

describe("tokens in files", () => {
  test("are stored, read, replaced and removed, one per service", async () => {
    await store().probe();
    expect(readdirSync(directory)).toEqual([]);
    expect(await store().load(KEY)).toBeNull();
    await store().save(KEY, "one");
    await store().save(KEY, "two");
    await store().save(OTHER, "three");
    expect(await store().load(KEY)).toBe("two");
    expect(await store().load(OTHER)).toBe("three");
    expect(await store().remove(KEY)).toBe(true);
    expect(await store().remove(KEY)).toBe(false);
    expect(await store().load(KEY)).toBeNull();
    expect(await store().load(OTHER)).toBe("three");
  });

  test("may begin with a byte order mark", async () => {
    await store().save(KEY, "one");
    writeFileSync(onlyFile(), `\uFEFF${readFileSync(onlyFile(), "utf8")}`);
    expect(await store().load(KEY)).toBe("one");
  });

  test("of tokens have the name and content of the first version", async () => {
    await store().save(KEY, "one");
    const path = join(directory, "work-ad567c7c0242d377.json");
    const content = '{"profile":"work","origin":"https://work.example","token":"one"}';
    expect(readFileSync(path, "utf8")).toBe(content);
    writeFileSync(path, content.replace("one", "two"), { mode: 0o600 });
    expect(await store().load(KEY)).toBe("two");
  });

  test("of another kind are saved, loaded and removed, and leave tokens as they are", async () => {
    const webhook = { kind: "webhook_url", name: "../work https://work.example", as: "slack" } as const;
    await store().save(KEY, "token");
    await store().save(webhook, "https://hooks.example/secret");
    expect(readdirSync(root)).toEqual(["calctl"]);
    expect(await store().load(webhook)).toBe("https://hooks.example/secret");
    expect(await store().load({ ...webhook, name: "work" })).toBeNull();
    expect([await store().remove(webhook), await store().remove(webhook)]).toEqual([true, false]);
    expect([await store().load(webhook), await store().load(KEY)]).toEqual([null, "token"]);
  });

  test("of another kind in the file of a token are not returned", async () => {
    await store().save(KEY, "token");
    const path = onlyFile();
    const content = { kind: "webhook_url", name: "work", as: "slack", url: "secret", token: "secret" };
    writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
    await expect(store().load(KEY)).rejects.toMatchObject({ exitCode: 10 });
  });

  test.for([0o000, 0o022, 0o777])(
    "are accessible only to their owner, with the umask %o",
    async (umask, { skip }) => {
      skip(umask === 0o777 && userId !== 0, "only root can enter a folder that nobody has rights to");
      const before = process.umask(umask);
      try {
        await store().save(KEY, "secret");
      } finally {
        process.umask(before);
      }
      expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
      expect(statSync(directory).mode & 0o077).toBe(0);
    },
  );

  test.each([0o644, 0o640, 0o604, 0o620])(
    "that others may read or write (%o) are not used: exit 10",
    async (mode) => {
      await store().save(KEY, "secret");
      chmodSync(onlyFile(), mode);
      await expect(store().load(KEY)).rejects.toMatchObject({
        exitCode: 10,
        hint: expect.stringContaining("chmod 600"),
      });
      await store().save(KEY, "renewed");
      expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
    },
  );

  test("a symbolic link is replaced, not followed", async () => {
    await store().save(KEY, "secret");
    const path = onlyFile();
    const victim = join(root, "victim");
    writeFileSync(victim, "untouched", { mode: 0o600 });
    rmSync(path);
    symlinkSync(victim, path);
    await store().save(KEY, "renewed");
    expect(readFileSync(victim, "utf8")).toBe("untouched");
    expect(lstatSync(path).isFile()).toBe(true);
  });

  test("links and files of another user are not used: exit 10", async ({ skip }) => {
    if (userId !== 0) skip("only root can give files away");
    await store().save(KEY, "secret");
    chownSync(onlyFile(), 12_345, 12_345);
    await expect(store().load(KEY)).rejects.toMatchObject({ exitCode: 10 });
    const path = onlyFile();
    const target = join(root, "target");
    writeFileSync(target, readFileSync(path), { mode: 0o600 });
    rmSync(path);
    symlinkSync(target, path);
    expect(await store().load(KEY)).toBe("secret");
    const { lchownSync } = await import("node:fs");
    lchownSync(path, 12_345, 12_345);
    await expect(store().load(KEY)).rejects.toMatchObject({ exitCode: 10 });
  });

  test.each(["", "{", '{"token":"secret"}', "[]"])(
    "a file that holds %j is broken, and not repeated",
    async (text) => {
      await store().save(KEY, "secret");
      writeFileSync(onlyFile(), text, { mode: 0o600 });
      const failure = store().load(KEY);
      await expect(failure).rejects.toMatchObject({ exitCode: 10 });
      await expect(failure).rejects.not.toThrow(/secret/);
    },
  );

  test("a file copied from another service is not used", async () => {
    await store().save(KEY, "secret");
    const path = onlyFile();
    await store().save(OTHER, "other");
    const otherPath = readdirSync(directory)
      .map((name) => join(directory, name))
      .find((name) => name !== path);
    writeFileSync(otherPath ?? "", readFileSync(path));
    await expect(store().load(OTHER)).rejects.toMatchObject({ exitCode: 10 });
  });

  test.each([0o777, 0o770, 0o702])(
    "a folder that others may write in (%o) is not used: exit 10",
    async (mode) => {
      mkdirSync(directory, { recursive: true });
      chmodSync(directory, mode);
      await expect(store().probe()).rejects.toMatchObject({
        exitCode: 10,
        hint: expect.stringContaining("chmod 700"),
      });
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  test("a pipe is not a regular file, and is not waited for", async () => {
    await store().save(KEY, "secret");
    const path = onlyFile();
    rmSync(path);
    execFileSync("mkfifo", [path]);
    await expect(store().load(KEY)).rejects.toMatchObject({
      exitCode: 10,
      message: expect.stringContaining("not a regular file"),
    });
  });

  test("a temporary file is never written through an existing file or link", async () => {
    const victim = join(root, "victim");
    writeFileSync(victim, "untouched");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const own = createSecretFiles({ directory, userId, temporarySuffix: () => "known" });
    await own.save(KEY, "secret");
    const [name = ""] = readdirSync(directory);
    symlinkSync(victim, join(directory, `.${name}.known`));
    await expect(own.save(KEY, "other")).rejects.toMatchObject({ exitCode: 10 });
    expect(readFileSync(victim, "utf8")).toBe("untouched");
    expect(await own.load(KEY)).toBe("secret");
  });

  test("old temporary files of killed logins are removed by the next save or removal, recent ones are not", async () => {
    await store().save(KEY, "secret");
    const path = onlyFile();
    const draft = (mark: string) => join(directory, `.${path.slice(directory.length + 1)}.${mark}`);
    const leave = (mark: string, age: number) => {
      writeFileSync(draft(mark), "secret");
      const time = statSync(path).mtimeMs / 1000 - age;
      utimesSync(draft(mark), time, time);
    };
    const [old, young, backup] = ["0123456789abcdef", "fedcba9876543210", "backup"];
    leave(old, 3600);
    leave(young, 1);
    leave(backup, 3600);
    await store().save(KEY, "renewed");
    expect([old, young, backup].map((mark) => existsSync(draft(mark)))).toEqual([false, true, true]);
    await store().remove(KEY);
    // A name that no login gives is somebody else's.
    expect(readdirSync(directory)).toEqual([basename(draft(backup))]);
  });

  test("profiles of any name have separate files, even if the names begin alike", async () => {
    const long = { ...KEY, profile: "ü".repeat(300) };
    const longer = { ...KEY, profile: "ü".repeat(301) };
    await store().save(long, "one");
    await store().save(longer, "two");
    expect([await store().load(long), await store().load(longer)]).toEqual(["one", "two"]);
  });

  test("a folder that cannot be created is exit 10 before the user signs in, and leaves nothing", async () => {
    writeFileSync(join(root, "calctl"), "");
    await expect(store().probe()).rejects.toMatchObject({ exitCode: 10 });
    await expect(store().save(KEY, "secret")).rejects.toMatchObject({ exitCode: 10 });
    expect(readdirSync(root)).toEqual(["calctl"]);
  });

  test("of concurrent logins, one complete token is stored", async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store()
          .save(KEY, `token-${index}`)
          .catch(() => null),
      ),
    );
    expect(await store().load(KEY)).toMatch(/^token-\d+$/);
    expect(readdirSync(directory)).toHaveLength(1);
  });
});
