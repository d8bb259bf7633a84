import type { Environment } from "./environment.js";
import { parseProxyAddress } from "./proxy-address.js";

const PROXIES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** The secrets that the environment holds: a token, a client secret, the passwords of proxies. */
export function environmentSecrets(env: Environment): readonly string[] {
  const named = [env["CALCTL_TOKEN"], env["CALCTL_CLIENT_SECRET"]];
  const passwords = PROXIES.map((name) => passwordIn(env[name] ?? ""));
  return [...named, ...passwords].filter((value) => value !== undefined && value !== "") as string[];
}

/** The password of a proxy's address; nothing where it has none or cannot be read. */
function passwordIn(address: string): string {
  const password = parseProxyAddress(address)?.password ?? "";
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
