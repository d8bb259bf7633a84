import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openService } from "../service.js";
import { request } from "./support/send.js";
import { createWorld, NOW, type World } from "./support/world.js";

/** Whom a token stands for. */

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

async function statusOf(caller: Pick<World, "service" | "token">): Promise<number> {
  return (await request(caller, "GET /user")).status;
}

describe("what another process changes holds for the next request", () => {
  test.each([
    ["a token that is revoked", ({ admin }: World["service"], id: string) => admin.tokens.revoke(id)],
    ["a user who is disabled", ({ admin }: World["service"]) => admin.users.disable("member")],
  ])("%s", async (_, change) => {
    const service = await openService({ database: world.database, now: () => NOW, rateLimit: null });
    const { id, token } = await service.admin.tokens.create({ user: "member", readOnly: false });
    expect(await statusOf({ service, token })).toBe(200);
    await change(world.service, id);
    expect(await statusOf({ service, token })).toBe(401);
    await service.close();
  });
});
