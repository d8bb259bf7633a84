import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { createReminder, type Message } from "../../src/commands/messages/message.js";
import { renderMessage } from "../../src/commands/messages/render.js";
import { TARGET_KINDS, type TargetKind } from "../../src/delivery/target.js";
import { event, NOW, PLACE, ZONE } from "../commands/messages/fixtures.js";
import { problemsOf } from "../commands/messages/support/published-limits.js";

/** Events whose URL is not one of a page on the internet: every target takes the message, and no link leads astray. */

const URLS = [
  "http://[fd00::1]:8080/room?a=[1]",
  "http://[fe80::1%25eth0]/",
  "http://intranet/room",
  "http://a..example/",
  "http://-a.example/ http://a-.example/",
  "http://a_b.example/",
  "http://a)b'!$&*;.example/",
  `https://${"a".repeat(64)}.example/`,
  `https://${"a".repeat(63)}.example/`,
  `https://${"a.".repeat(127)}example/`,
  "http://localhost/",
  "https://a.example:8443/x",
  "https://a.example:99999/",
  "https://a.example./",
  "https://0x7f.1/",
  "https://256.256.256.256/",
  "https://bücher.example/für?a=ü#ß",
  "https://xn--bcher-kva.example/",
  "https://xn--a.example/",
  "https://😀.example/🎉",
  "https://例え.example/テスト",
  "https://user:pass@a.example/",
  "https://bank.example@evil.example/",
  `https://a.example/${"x".repeat(1_982)}`,
  `https://a.example/${"x".repeat(1_983)}`,
  `https://a.example/${"ü".repeat(400)}`,
  "https://a.example/x y",
  "https://a.example/%zz?q=`|*_~[]()<>\"'\\^{}",
  "https://a.example/a\u202eb\u200bc\u0000d\r\nBcc: x@evil.example",
  "HTTPS://A.EXAMPLE",
  "https:///x",
  "https:/a.example",
  "https://",
  "//a.example/x",
  "www.a.example",
  "javascript:alert(1)",
  "java\nscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "file:///etc/passwd",
  "ftp://a.example/x",
  "tel:+49891234",
  "webcal://a.example/x.ics",
  "mailto:a@b.example?subject=x%0d%0aBcc:%20c@d.example",
  "mailto:",
  "urn:uuid:1",
  "not a url",
  " ",
  "",
];

/** Where a reader could be led without a page or a mail program. */
const ASTRAY = /(?:href=\\?"|\]\(|<|"url":")\s*(?:java\s*script|data|file|ftp|tel|webcal|urn):/i;

async function sent(kind: TargetKind, message: Message) {
  const payload = await renderMessage(kind, message, { ...PLACE, to: "ana@example.com", now: NOW });
  if (kind !== "mail") return { problems: problemsOf(kind, payload), body: payload.body };
  const { html = "", text = "", headers } = await PostalMime.parse(payload.body);
  const problems = headers.some(({ key }) => key === "bcc") ? ["a header was added"] : [];
  return { problems, body: `${html}\n${text}` };
}

test.each(TARGET_KINDS)("%s takes an event with any URL, and another event beside it", async (kind) => {
  for (const url of URLS) {
    const details = { url, location: url, description: `See ${url}.` };
    const odd = event("Odd one", "2026-11-21T09:00", "2026-11-21T10:00", details);
    const plain = event("Plain one", "2026-11-21T09:00", "2026-11-21T10:00", { url: "https://a.example/p" });
    const reminder = createReminder([odd, plain], { zone: ZONE, now: NOW, showCalendar: false });
    const { problems, body } = await sent(kind, reminder);
    expect(problems, url).toEqual([]);
    expect(body, url).toMatch(/Odd one[\s\S]*Plain one/);
    if (kind !== "json") expect(body, url).not.toMatch(ASTRAY);
  }
});
