import { describe, expect, test } from "vitest";
import type { TargetKind } from "../../src/delivery/target.js";
import { hideUrl, parseWebhookUrl, secretsOf } from "../../src/delivery/webhook-url.js";
import { CliError } from "../../src/errors.js";
import { createRedactor } from "../../src/terminal/redaction.js";

const TOKEN = "123456789:AAF-sentinel_0123456789abcdefghijk";

describe("a URL that is taken", () => {
  test.each<[TargetKind, string, string?]>([
    ["slack", "https://hooks.slack.com/services/T0/B0/sentinel"],
    ["slack", "https://chat.example/hooks/sentinel"],
    ["slack", "https://discord.com/api/webhooks/1/sentinel/slack"],
    ["discord", "https://discordapp.com/api/v10/webhooks/1/sentinel?thread_id=2"],
    [
      "teams",
      "https://prod-01.westeurope.logic.azure.com:443/workflows/a/triggers/manual/paths/invoke?api-version=2016-06-01&sig=sentinel",
    ],
    ["mattermost", "https://chat.example/hooks/sentinel"],
    ["googlechat", "https://chat.googleapis.com/v1/spaces/A/messages?key=a&token=sentinel"],
    ["discord", "https://canary.discord.com/api/webhooks/1/sentinel"],
    ["discord", "https://discord.example/proxy/sentinel"],
    ["teams", "https://example.webhook.office.com/webhookb2/sentinel"],
    ["ntfy", "https://ntfy.sh/sentinel"],
    ["ntfy", "https://push.example/ntfy/sentinel"],
    ["ntfy", "https://:tk_sentinel@ntfy.example/topic"],
    ["json", "http://127.0.0.1:8080/sentinel"],
    ["json", "http://[::1]/sentinel"],
    ["telegram", TOKEN, `https://api.telegram.org/bot${TOKEN}/sendMessage`],
    ["telegram", `http://localhost:8081/bot${TOKEN}`, `http://localhost:8081/bot${TOKEN}/sendMessage`],
    ["telegram", `https://api.telegram.org/bot${TOKEN}/sendMessage`],
  ])("for %s: %s", (kind, text, url = text) => {
    expect(parseWebhookUrl(text, kind, "stdin")).toBe(url.replace(":443", ""));
  });
});

describe("text that is refused without being repeated: exit 2", () => {
  test.each<[TargetKind, string, string]>([
    ["slack", "", "it is empty"],
    ["slack", "sentinel", "it is not an https URL"],
    ["slack", "sentinel:secret", "it is not an https URL"],
    ["slack", "ftp://sentinel", "it is not an https URL"],
    ["slack", "https:sentinel", "it is not an https URL"],
    ["slack", "https://", "it is not an https URL"],
    ["json", "http://127.0.0.1:99999/sentinel", "its port is not a number from 1 to 65535"],
    ["json", "https://[::1]:sentinel/x", "its port is not a number from 1 to 65535"],
    ["ntfy", "https://:token@ntfy.sh:65536?sentinel", "its port is not a number from 1 to 65535"],
    ["json", "https://hooks.example:0/sentinel", "its port is not a number from 1 to 65535"],
    ["json", "https://[::1:99999/sentinel", "its host is not valid"],
    ["json", "https://256.1.1.1/sentinel", "its host is not valid"],
    ["json", "https://xn--a.sentinel.example", "its host is not valid"],
    ["slack", "https://hooks.slack.com/sentinel\n", "it must not contain spaces or line breaks"],
    ["slack", "https://hooks.slack.com/ sentinel", "it must not contain spaces or line breaks"],
    [
      "slack",
      "https://hooks.slack.com/sentinel\nhttps://hooks.slack.com/",
      "it must not contain spaces or line breaks",
    ],
    ["slack", "http://hooks.example/sentinel", "http is not encrypted"],
    ["slack", "http://127.0.0.1.example/sentinel", "http is not encrypted"],
    ["slack", "https://ana:sentinel@hooks.example/", "it must not have a user or a password"],
    ["slack", "https://:sentinel@hooks.example/", "it must not have a user or a password"],
    ["ntfy", "https://sentinel@ntfy.sh/topic", "it must not have a user or a password"],
    ["ntfy", "https://ana:sentinel@ntfy.sh/topic", "it must not have a user or a password"],
    ["ntfy", "https://:sen%0atinel@ntfy.sh/topic", "what stands before the host is not an access token"],
    ["slack", "https://hooks.slack.com@sentinel.example/", "it must not have a user or a password"],
    ["slack", "https://hooks.example/#sentinel", "it has a fragment"],
    ["slack", `https://hooks.example/${"sentinel".repeat(1000)}`, "it is too long"],
    [
      "discord",
      "https://hooks.slack.com/services/sentinel",
      "hooks.slack.com takes messages of slack, not of discord",
    ],
    [
      "slack",
      "https://discord.com/api/webhooks/1/sentinel",
      "discord.com takes messages of discord, not of slack",
    ],
    ["json", "https://chat.googleapis.com/v1/sentinel", "takes messages of googlechat, not of json"],
    ["telegram", "sentinel", "it is not a bot's token"],
    ["telegram", "1:sentinel", "it is not a bot's token"],
    ["telegram", "https://api.telegram.org/sentinel", "it is not the URL of a bot"],
    ["slack", "https://hooks.slack.com/sentinel", "it is not the URL of a webhook"],
    ["slack", "https://hooks.slack-gov.com/services/", "it is not the URL of a webhook"],
    ["googlechat", "https://chat.googleapis.com/", "it is not the URL of a webhook"],
    ["googlechat", "https://chat.googleapis.com/v1/sentinel", "it is not the URL of a webhook"],
    ["slack", "https://hooks.slack.com/triggers/T0/1/sentinel", "it is the URL of a workflow"],
    ["slack", "https://hooks.slack.com/workflows/T0/A0/1/sentinel", "it is the URL of a workflow"],
    ["slack", "https://hooks.slack-gov.com/workflows/T0/A0/1/sentinel", "it is the URL of a workflow"],
    ["slack", "https://app.slack.com/client/T0/sentinel", "it is a link to a channel"],
    ["slack", "https://team.slack.com/archives/sentinel", "it is a link to a channel"],
    ["discord", "https://discord.com/channels/1/sentinel", "it is not the URL of a webhook"],
    ["discord", "https://discord.com/sentinel", "it is not the URL of a webhook"],
    ["discord", "https://discord.com/api/webhooks/1", "it is not the URL of a webhook"],
    ["discord", "https://discord.com/api/webhooks/1/sentinel/slack", "it is not the URL of a webhook"],
    ["discord", "https://discord.gg/sentinel", "it is not the URL of a webhook"],
    ["teams", "https://teams.microsoft.com/l/channel/sentinel", "it is a link to a channel"],
    ["googlechat", "https://chat.google.com/room/sentinel", "it is a link to a space"],
    ["googlechat", "https://mail.google.com/chat/u/0/#chat/space/sentinel", "it has a fragment"],
    ["mattermost", "https://chat.example/team/channels/sentinel", "it is a link to a channel"],
    ["ntfy", "https://ntfy.sh", "it has no topic"],
    ["ntfy", "https://ntfy.example/", "it has no topic"],
    ["ntfy", "https://:tk_sentinel@ntfy.example/", "it has no topic"],
    ["ntfy", "https://ntfy.sh/sentinel/", "it has no topic"],
    ["ntfy", "https://ntfy.sh/sentinel/json", "it is not the URL of a topic"],
    ["ntfy", "https://ntfy.example/sentinel.json", "it is not the URL of a topic"],
    ["slack", "https://slack.com/api/sentinel", "it is a link to a channel"],
    ["slack", "xoxb-sentinel-0123456789", "it is not an https URL"],
    ["slack", TOKEN, "it is not an https URL"],
  ])("for %s: %j", (kind, text, words) => {
    const error = failure(() => parseWebhookUrl(text, kind, "--url-file"));
    expect(error).toMatchObject({ code: "usage", exitCode: 2 });
    expect(error.message).toMatch(/^--url-file: /);
    expect(error.message).toContain(words);
    expect(error.hint).toBeTruthy();
    expect(`${error.message} ${error.hint}`).not.toContain("sentinel");
  });
});

function failure(work: () => unknown): CliError {
  try {
    work();
  } catch (error) {
    if (error instanceof CliError) return error;
  }
  throw new Error("it was taken");
}

test.each<[TargetKind, string, string]>([
  [
    "slack",
    "https://hooks.slack.com/workflows/T0/A0/1/x",
    "create an app with Incoming Webhooks, and use its URL: https://hooks.slack.com/services/…",
  ],
  [
    "discord",
    "https://discord.com/channels/1/2",
    "create a webhook in the channel's settings, under Integrations, and use its URL: https://discord.com/api/webhooks/ID/TOKEN",
  ],
  ["ntfy", "https://ntfy.sh/", "add the topic, as in https://ntfy.sh/TOPIC"],
])("for %s, the hint about %s says what would be right", (kind, text, hint) => {
  expect(failure(() => parseWebhookUrl(text, kind, "stdin")).hint).toBe(hint);
});

describe("the secret parts of a URL are masked", () => {
  test.each([
    "https://hooks.slack.com/services/T0123456/B0123456/abcdefghijklmnop",
    "https://prod.logic.azure.com/workflows/0123456789abcdef0/triggers/manual?sp=%2Ftriggers%2Fmanual%2Frun&sig=abc-def_0123456789",
    `https://api.telegram.org/bot${TOKEN}/sendMessage`,
    "https://ntfy.sh/our-secret-topic",
  ])("of %s", (url) => {
    const redactor = createRedactor(() => secretsOf(url));
    const { origin, pathname, search } = new URL(url);
    expect(redactor.mask(`posting to ${url}`)).toBe(`posting to ${origin}/***`);
    expect(redactor.mask(`POST ${pathname}${search} HTTP/1.1`)).toBe("POST /*** HTTP/1.1");
    expect(redactor.mask(`path ${pathname}`)).toBe("path /***");
    expect(redactor.mask(JSON.stringify({ url }))).not.toContain(pathname.slice(-12));
    expect(hideUrl(url)).toBe(`${origin}/***`);
  });

  test("and so is a bot's token by itself", () => {
    const redactor = createRedactor(() => secretsOf(`https://api.telegram.org/bot${TOKEN}/sendMessage`));
    expect(redactor.mask(`token ${TOKEN}`)).toBe("token ***");
  });
});
