import { expect, test } from "vitest";
import { createDigest, createReminder } from "../../src/messages/message.js";
import { renderMessage } from "../../src/messages/render.js";
import { checkPayload } from "../support/chat/checks.js";
import { EVENTS, event, NOW, OPTIONS, ZONE } from "./fixtures.js";

async function slack(events: typeof EVENTS): Promise<unknown> {
  const { contentType, body } = await renderMessage("slack", createDigest(events, OPTIONS), { now: NOW });
  expect(contentType).toBe("application/json; charset=utf-8");
  return JSON.parse(body);
}

function section(text: string): unknown {
  return { type: "section", text: { type: "mrkdwn", text, verbatim: true } };
}

test("a digest is a header and a section for each day", async () => {
  expect(await slack(EVENTS.slice(0, 4))).toEqual({
    text: "This week",
    blocks: [
      { type: "header", text: { type: "plain_text", text: "This week" } },
      section(
        [
          "*Today, Sat 21 Nov*",
          "• *→ all day →*  Grandma visits (day 2 of 3)",
          "• *09:30–10:30*  Swimming lesson · Municipal pool",
          "• *19:00–21:30*  <https://noodles.example/tables?for=6&amp;day=sat|Dinner with the neighbors> [Visits] · Noodle bar",
          "    with Ana, Ben",
          "    A table for six. …",
        ].join("\n"),
      ),
      section(
        "*Tomorrow, Sun 22 Nov*\n• *→ all day*  Grandma visits (day 3 of 3)\n• *22:00 →*  Night train (until Mon 06:00)",
      ),
      section("*Mon 23 Nov*\n• *→ 06:00*  Night train (since Sun 22:00)"),
      { type: "context", elements: [{ type: "mrkdwn", text: "Times in Europe/Berlin", verbatim: true }] },
    ],
  });
});

test("titles are neither markup nor mentions", async () => {
  const title = "<!channel> & <@U1> *b* _i_ ~s~ `c` snake_case <https://x.example|y>";
  const message = JSON.stringify(await slack([event(title, "2026-11-21T09:00", "2026-11-21T10:00")]));
  expect(message).toContain(
    "&lt;!channel&gt; &amp; &lt;@U1&gt; ∗b∗ ˍiˍ ∼s∼ ˋcˋ snake_case &lt;https://x.example|y&gt;",
  );
});

test("shortcodes of emoji stay text, in the header too", async () => {
  const shortcodes = [":tada:", ":+1:", ":100:", ":wave::skin-tone-2:", ":größe:"];
  const [title, location] = [`Party ${shortcodes.join(" ")}`, "10:30:15 a:b"];
  const party = event(title, "2026-11-21T09:00", "2026-11-21T10:00", { location });
  const options = { zone: ZONE, now: NOW, showCalendar: false };
  const messages = [createDigest([party], { ...OPTIONS, title }), createReminder([party], options)];
  for (const message of messages) {
    const { body } = await renderMessage("slack", message, { now: NOW });
    expect(body).not.toMatch(/:[\p{L}\p{N}_+-]*\p{L}[\p{L}\p{N}_+-]*:|:100:|:\+1:/u);
    expect(body.replaceAll("\u200b", "")).toContain(title);
  }
  expect(JSON.stringify(await slack([party]))).toContain(location);
});

test("a message that slack refuses has a smaller one, with half of the text at most", async () => {
  const events = Array.from({ length: 120 }, (_, index) =>
    event(`E${index} ${"t".repeat(40)}`, "2026-11-21T09:00", "2026-11-21T10:00", {
      description: "d".repeat(150),
    }),
  );
  for (const some of [events, EVENTS]) {
    const { body, smaller } = await renderMessage("slack", createDigest(some, OPTIONS), { now: NOW });
    const second = smaller?.();
    expect(
      checkPayload("slack", { contentType: "application/json", headers: {}, body: second?.body ?? "" }),
    ).toEqual([]);
    expect(lengthOf(second?.body ?? "")).toBeLessThanOrEqual(lengthOf(body) / 2);
    expect(second?.body).toContain(some[0]?.title ?? "?");
    expect(second?.smaller).toBeUndefined();
  }
});

/** Of all texts in the blocks. */
function lengthOf(body: string): number {
  return [...body.matchAll(/"text":"(.*?)"/g)].reduce((sum, [, text = ""]) => sum + text.length, 0);
}
