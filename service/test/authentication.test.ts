import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openService } from "../service.js";
import { createWorld, NOW, type World } from "./support/world.js";

/** Whom a token stands for. */

let world: World;
beforeEach(async () => {
  world = await createWorld({ stored: true });
});
afterEach(() => world.close());

const FROM = { kind: "network", address: "192.0.2.1" } as const;

async function statusOf({ service, token }: Pick<World, "service" | "token">): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const request = { method: "GET", target: "/user", headers, body: new Uint8Array() };
  return (await service.handle(request, FROM)).status;
}

describe.each([
  ["this process", (): World["service"] | null => null],
  ["another process", (): World["service"] | null => world.service],
])("what %s changes holds for the next request", (_, other) => {
  test.each([
    ["a token that is revoked", ({ admin }: World["service"], id: string) => admin.tokens.revoke(id)],
    ["a user who is disabled", ({ admin }: World["service"]) => admin.users.disable("member")],
  ])("%s", async (__, change) => {
    const service = await openService({ database: world.database, now: () => NOW, rateLimit: null });
    const { id, token } = await service.admin.tokens.create({ user: "member", readOnly: false });
    expect(await statusOf({ service, token })).toBe(200);
    await change(other() ?? service, id);
    expect(await statusOf({ service, token })).toBe(401);
    await service.close();
  });
});
