import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Certificate } from "../../../service/test/support/certificate.js";
import { createFolder } from "../../../service/test/support/world.js";
import { freePort } from "../../api/network/peers.js";
import { readPage } from "../../support/docs-pages.js";
import { follow } from "../../support/spawned.js";
import { systemPart } from "../../support/system-parts.js";

export interface ExampleOptions {
  readonly certificate: Certificate;
  /** What the file says, by what is there instead. */
  readonly places: Readonly<Record<string, string>>;
}

/**
 * Starts nginx with a file of the examples; only its ports, those of the service and the certificate are others.
 * @returns its port
 */
export async function startExample(
  path: string,
  { certificate: { cert, key }, places }: ExampleOptions,
): Promise<number> {
  const folder = createFolder();
  onTestFinished(folder.remove);
  const port = await freePort();
  const [certFile, keyFile] = [join(folder.path, "cert.pem"), join(folder.path, "key.pem")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  const all = {
    ...places,
    "listen 443": `listen ${port}`,
    "[::]:443": `[::]:${port}`,
    "/etc/letsencrypt/live/calendar.example/fullchain.pem": certFile,
    "/etc/letsencrypt/live/calendar.example/privkey.pem": keyFile,
  };
  let site = readPage(path);
  for (const [text, place] of Object.entries(all)) {
    expect(site).toContain(text);
    site = site.replace(text, place);
  }
  writeFileSync(join(folder.path, "site.conf"), site);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${name};`,
  );
  writeFileSync(
    join(folder.path, "nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""} daemon off; pid pid; error_log stderr notice;
events {} http { ${temporary.join(" ")} include site.conf; }`,
  );
  const args = ["-p", folder.path, "-c", "nginx.conf", "-e", "stderr"];
  const nginx = follow(spawn(systemPart("nginx") ?? "", args, { stdio: "pipe" }));
  onTestFinished(async () => {
    nginx.child.kill("SIGTERM");
    await nginx.ended;
  });
  await nginx.stderrWith("start worker process ");
  return port;
}
