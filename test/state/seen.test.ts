import { expect, test } from "vitest";
import { querySql, runSql } from "../../service/test/support/database.js";
import { createStatePath, DAY, NOW, openTestState } from "./support.js";

test("readers go on by themselves, and what is not delivered is kept until something is remembered", async () => {
  const { seen } = await openTestState(createStatePath());
  const [all, ben] = [{ name: "news" }, { name: "news", reader: "ben" }];
  await seen.keepUndelivered(ben, ["a"]);
  expect(await seen.read(ben)).toBeNull();
  expect([await seen.readUndelivered(ben), await seen.readUndelivered(all)]).toEqual([["a"], null]);
  await seen.saveSnapshot({ ...all, seen: 1 });
  await seen.saveSnapshot({ ...ben, seen: 2 });
  expect(await seen.readUndelivered(ben)).toBeNull();
  await seen.keepUndelivered(ben, ["b"]);
  expect(await seen.readUndelivered(ben)).toEqual(["b"]);
  expect([await seen.read(all), await seen.read(ben)]).toEqual([
    { revision: 1, seen: 1 },
    { revision: 1, seen: 2 },
  ]);
});

test("state is compact, and the last 100 names are kept even if they are not used any more", async () => {
  const path = createStatePath();
  let now = NOW;
  const { seen: names } = await openTestState(path, { now: () => now });
  const seen = Array.from({ length: 2_000 }, (_, id) => ({
    id,
    title: `Event ${id}`,
    description: "text ".repeat(100),
  }));
  await names.saveSnapshot({ name: "large", seen });
  expect(querySql(path, "select length(content) < 100000 as fits from seen")).toEqual([{ fits: 1 }]);
  expect(await names.read({ name: "large" })).toEqual({ revision: 1, seen });
  now = NOW + 500 * DAY;
  runSql(
    path,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 98)
    insert into seen select 'new ' || i, '', content, 1, ${now}, null from n, seen where name = 'large'`,
  );
  await names.saveSnapshot({ name: "new 99", seen: [] });
  expect(await names.read({ name: "large" })).not.toBeNull();
  await names.saveSnapshot({ name: "new 100", seen: [] });
  expect(await names.read({ name: "large" })).toBeNull();
});
