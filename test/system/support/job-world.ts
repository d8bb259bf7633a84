import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { listenHttp } from "../../api/network/peers.js";
import { createInstallation, type Installation } from "../../support/spawned.js";

/** What jobs of the built program use: a calendar service and a Slack webhook, on 127.0.0.1, and a home folder. */
export interface JobWorld extends Installation {
  /** URL of the webhook. */
  readonly hook: string;
  /** The bodies of the requests that the webhook received. */
  readonly posted: readonly string[];
  /** Leaves the next request without a response. */
  hangUpNext(): void;
  readonly service: { readonly baseUrl: string; readonly token: string };
  /** In the home folder, as in docs/cron.md. */
  readonly files: { readonly token: string; readonly url: string };
}

/** The part of the webhook's URL that must not appear anywhere else. */
export const HOOK_SECRET = "S3cretOfThisHook";

/** A zone in which it is about noon: no day ends during a test. */
export const NOON_ZONE = noonZone();

/** The service has one event, all day and several days long: it is today in every zone, and never about to start. */
export async function createJobWorld(env: Readonly<Record<string, string>> = {}): Promise<JobWorld> {
  const installation = createInstallation(env);
  const start = ["service", "start", "--memory", "--sample", "--port", "0", "-o", "json"];
  const line = await createInstallation()
    .start(...start)
    .stdoutWith("\n");
  const service: { readonly base_url: string; readonly token: string } = JSON.parse(line);
  const { base_url: baseUrl, token } = service;
  const posted: string[] = [];
  let hangsUp = false;
  const host = await listenHttp(async (request, response) => {
    posted.push(await text(request));
    if (hangsUp) request.socket.destroy();
    else response.end("ok");
    hangsUp = false;
  });
  const hook = `http://${host}/services/T0/B0/${HOOK_SECRET}`;
  const hangUpNext = () => {
    hangsUp = true;
  };
  const files = { token: join(installation.home, "token-file"), url: join(installation.home, "url-file") };
  writeFileSync(files.token, `${token}\n`, { mode: 0o600 });
  writeFileSync(files.url, `${hook}\n`, { mode: 0o600 });
  const days = ["--all-day", "--start", dayFromNow(-2), "--end", dayFromNow(2)];
  const account = { CALCTL_BASE_URL: baseUrl, CALCTL_TOKEN: token };
  const around = `--from ${dayFromNow(-1)} --to ${dayFromNow(7)}`;
  const setUp = `calctl events list -A ${around} --fields id | calctl events delete - --yes -q
    calctl events create -c Family --title 'Choir trip' ${days.join(" ")} -q`;
  expect(await createInstallation(account).shell(setUp)).toMatchObject({ exitCode: 0, stderr: "" });
  return { ...installation, hook, posted, hangUpNext, service: { baseUrl, token }, files };
}

/** `YYYY-MM-DD` */
function dayFromNow(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

function noonZone(): string {
  const offset = 12 - new Date().getUTCHours();
  // In the names of these zones, east is negative.
  return `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`;
}
