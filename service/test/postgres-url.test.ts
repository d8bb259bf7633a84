import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parsePostgresUrl } from "../store/postgres/location.js";
import { createCertificate } from "./support/certificate.js";

const { cert, key } = createCertificate();

let folder: string;
let authority: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "calctl-url-"));
  authority = join(folder, "root.crt");
  writeFileSync(authority, cert);
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["postgres://db.example/cal", { host: "db.example", port: 5432, database: "cal", user: undefined }],
  ["postgresql://ana:s%40cret@db.example:6432/cal", { user: "ana", password: "s@cret", port: 6432 }],
  ["postgres:///cal", { host: "localhost", database: "cal", tls: false }],
  ["postgres:///cal?host=/run/postgresql", { host: "/run/postgresql", tls: false }],
  ["postgres://%2Frun%2Fpostgresql/cal", { host: "/run/postgresql", tls: false }],
  ["postgres://ana@/cal?host=/run/postgresql", { host: "/run/postgresql", user: "ana", tls: false }],
  ["postgres://[::1]:6432/cal", { host: "::1", tls: false }],
  ["postgres://localhost/cal%20endar?schema=mine", { database: "cal endar", schema: "mine" }],
])("%s is read", (url, expected) => {
  expect(parsePostgresUrl(url)).toMatchObject(expected);
});

describe("messages", () => {
  test.each([
    ["postgres://ana:s%40cret@db.example/cal?sslmode=verify-full", "postgres://ana@db.example/cal"],
    ["postgres://localhost/cal?schema=mine", "postgres://localhost/cal?schema=mine"],
    ["postgres:///cal?host=/run/postgresql", "postgres:///cal?host=%2Frun%2Fpostgresql"],
  ])("name %s without its password", (url, name) => {
    expect(parsePostgresUrl(url).name).toBe(name);
  });

  test.each([
    [
      "postgres://ana:sentinel@db.example:port/cal",
      "it is not a URL, or has a character that must be encoded",
    ],
    ["postgres://ana:sentinel@db.example", "it names no database"],
    ["postgres://ana:sentinel@db.example/", "it names no database"],
    ["postgres://ana:sentinel@db.example/cal#x", "it is not a URL, or has a character that must be encoded"],
    ["postgres://ana:sentinel%zz@db.example/cal", "it is not a URL, or has a character that must be encoded"],
    ["postgres://ana:sentinel@localhost/cal?schema=", "no schema can have its name"],
    ["postgres://ana:sentinel@localhost/cal?schema=%00", "no schema can have its name"],
    ["postgres://ana:sentinel@localhost/cal?schema=pg_x", "no schema can have its name"],
    ["postgres://ana:sentinel@localhost/cal?schema=$user", "no schema can have its name"],
    [`postgres://ana:sentinel@localhost/cal?schema=${"é".repeat(32)}`, "no schema can have its name"],
    ["postgres://ana:sentinel@localhost/cal?sslmode=sentinel-mode", "sslmode=sentinel-mode is not supported"],
    ["postgres://ana:sentinel@localhost/cal?options=-c", 'its parameter "options" is not supported'],
    ["postgres://ana:sentinel@db.example/cal?sslmode=disable", "unencrypted"],
    ["postgres://ana:sentinel@db.example/cal?sslmode=disable&plaintext=yes", "unencrypted"],
    [
      "postgres://ana:sentinel@db.example/cal?sslrootcert=/nowhere",
      "sslrootcert, sslcert or sslkey cannot be used (no such file or directory)",
    ],
  ])("say what is wrong with %s, without its password", (url, problem) => {
    let error: unknown;
    try {
      parsePostgresUrl(url);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "configuration", message: expect.stringContaining(problem) });
    expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.toMatch(/sentinel(?!-mode)/);
  });
});

describe("a connection", () => {
  const tlsOf = (query: string, host = "db.example") =>
    parsePostgresUrl(`postgres://${host}/cal${query}`).tls;

  test("is encrypted beyond this machine, with a checked certificate", () => {
    expect(tlsOf("")).toEqual({});
    expect(tlsOf("?sslmode=verify-full")).toEqual({});
    expect(tlsOf("?sslrootcert=system")).toEqual({});
    expect(tlsOf(`?sslrootcert=${authority}`)).toEqual({ ca: cert });
    expect(tlsOf("?sslmode=verify-full", "localhost")).toEqual({});
    expect(tlsOf("?host=")).toEqual({});
    expect(tlsOf("", "localhost")).toBe(false);
    expect(tlsOf("?sslmode=disable&plaintext=allow")).toBe(false);
  });

  test("is checked as libpq does for the weaker modes", () => {
    expect(tlsOf("?sslmode=require")).toEqual({ rejectUnauthorized: false });
    const checked = { checkServerIdentity: expect.any(Function) };
    expect(() => tlsOf("?sslmode=verify-ca")).toThrow("sslmode=verify-ca needs an authority");
    expect(tlsOf(`?sslmode=verify-ca&sslrootcert=${authority}`)).toEqual({ ca: cert, ...checked });
    expect(tlsOf(`?sslmode=require&sslrootcert=${authority}`)).toEqual({ ca: cert, ...checked });
  });

  test.each([
    ["sslcert", "root.key"],
    ["sslkey", "root.crt"],
  ])("is not made if %s is %s", (parameter, file) => {
    writeFileSync(join(folder, "root.key"), key);
    const query = `?${parameter}=${join(folder, file)}&sslmode=require`;
    expect(() => tlsOf(query)).toThrow(
      expect.objectContaining({
        code: "configuration",
        message: expect.stringContaining("sslrootcert, sslcert or sslkey cannot be used (ERR_"),
        hint: "give files in PEM format",
      }),
    );
  });
});
