import { expect, test } from "vitest";
import { openService, type Service } from "../service.js";
import { createContractClient } from "./support/contract-client.js";
import { sendInProcess } from "./support/send.js";
import { createWorld, NOW } from "./support/world.js";

const openEmpty = (): Promise<Service> =>
  openService({
    database: ":memory:",
    now: () => NOW,
    rateLimit: { limit: 100, windowSeconds: 60 },
    passwordCost: { ln: 4, r: 1, p: 1 },
  });

test("the sample is two users in two calendars with events around today", async () => {
  const service = await openEmpty();
  const { token } = await service.admin.addSample();
  const client = createContractClient(sendInProcess(service), token);
  const { data: calendars } = await client.call("listCalendars");
  expect(calendars.map(({ attributes }) => attributes.name)).toEqual(["Family", "Work"]);
  for (const { id, relationships } of calendars) {
    expect(relationships.members.data).toHaveLength(2);
    const path = { calendar_id: id };
    const today = await client.call("listUpcomingEvents", { path });
    const week = await client.call("listUpcomingEvents", { path, query: { days: "7" } });
    expect(today.data.length).toBeGreaterThan(0);
    expect(week.data.length).toBeGreaterThan(today.data.length);
  }
  await service.close();
});

test("the result describes the sample, with random secrets", async () => {
  const [first, second] = [await openEmpty(), await openEmpty()];
  const sample = await first.admin.addSample();
  expect(sample).toEqual({
    token: expect.stringMatching(/^cal_/),
    client_id: (await first.admin.clients.list())[0]?.client_id,
    client_secret: expect.any(String),
    redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\//)],
    user: { ...(await first.admin.users.list())[0], password: expect.stringMatching(/^\S{20,}$/) },
    other_user: { ...(await first.admin.users.list())[1], password: expect.stringMatching(/^\S{20,}$/) },
  });
  expect(sample.user.login).toBe(sample.user.name);
  expect(sample.other_user.login).toBe(sample.other_user.name);
  expect(sample.other_user.password).not.toBe(sample.user.password);
  const other = await second.admin.addSample();
  expect(other.token).not.toBe(sample.token);
  expect(other.client_secret).not.toBe(sample.client_secret);
  expect(other.user.password).not.toBe(sample.user.password);
  await first.close();
  await second.close();
});

test("a database with users is rejected", async () => {
  const world = await createWorld();
  await expect(world.service.admin.addSample()).rejects.toMatchObject({
    code: "configuration",
    exitCode: 10,
  });
  expect(await world.service.admin.users.list()).toHaveLength(3);
  await world.close();
});
