import { describe, expect, test } from "vitest";
import { NOW } from "../support/world.js";
import { type Connect, createStage, type Stage } from "./stage.js";

const POLICY = { limit: 3, windowSeconds: 600 } as const;

export function describeRateLimit(connect: Connect): void {
  describe("rate limit", () => {
    const limited = (title: string, run: (stage: Stage) => Promise<void>) =>
      test(title, async () => {
        const stage = await createStage(connect, { rateLimit: POLICY });
        try {
          await run(stage);
        } finally {
          await stage.close();
        }
      });

    limited("responses report what remains, and 429 when nothing does", async ({ client, world }) => {
      // 10:00 begins a window of ten minutes.
      world.clock.now = NOW + 30_500;
      const answers = [];
      for (let count = 0; count < 5; count += 1) answers.push(await client.request("GET", "/user"));
      const reset = NOW / 1000 + 600;
      expect(answers.map(({ status, rate }) => [status, rate])).toEqual([
        [200, { limit: 3, remaining: 2, reset }],
        [200, { limit: 3, remaining: 1, reset }],
        [200, { limit: 3, remaining: 0, reset }],
        [429, { limit: 3, remaining: 0, reset }],
        [429, { limit: 3, remaining: 0, reset }],
      ]);
      expect(answers[0]?.headers).not.toHaveProperty("retry-after");
      expect(answers.at(-1)?.headers["retry-after"]).toBe("570");
    });

    limited("a new window begins at the reset", async ({ client, world }) => {
      for (let count = 0; count < 4; count += 1) await client.request("GET", "/user");
      world.clock.now = NOW + 599_999;
      expect((await client.request("GET", "/user")).status).toBe(429);
      world.clock.now = NOW + 600_000;
      expect(await client.request("GET", "/user")).toMatchObject({ status: 200, rate: { remaining: 2 } });
    });

    limited(
      "each token is counted by itself, all without a valid one together",
      async ({ client, world }) => {
        for (let count = 0; count < 4; count += 1) await client.request("GET", "/user");
        const other = await client.request("GET", "/user", { token: world.readOnlyToken });
        expect(other).toMatchObject({ status: 200, rate: { remaining: 2 } });
        const without = await client.request("GET", "/user", { token: null });
        expect(without).toMatchObject({ status: 401, rate: { remaining: 2 } });
        const invalid = await client.request("GET", "/user", { token: "guessed" });
        expect(invalid).toMatchObject({ status: 401, rate: { remaining: 1 } });
      },
    );

    limited("errors count too, whatever was wrong", async ({ client }) => {
      const answers = [
        await client.request("GET", "/nothing"),
        await client.request("PATCH", "/user"),
        await client.request("GET", "/calendars?include=all"),
        await client.request("GET", "/nothing"),
      ];
      expect(answers.map(({ status, rate }) => [status, rate?.remaining])).toEqual([
        [404, 2],
        [405, 1],
        [400, 0],
        [429, 0],
      ]);
    });
  });
}
