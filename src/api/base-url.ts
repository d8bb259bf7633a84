/** Which URLs are below the base URL of a service: requests, and with them the token, go nowhere else. */

/** A URL below a base URL. @param target path, with a slash at its beginning, and query */
export function urlBelow(baseUrl: URL, target: string): string {
  return `${baseUrl.origin}${basePath(baseUrl)}${target}`;
}

/** The path of a URL below a base URL, with a slash at its beginning; null when it is not below. */
export function pathBelow(baseUrl: URL, url: URL): string | null {
  const base = basePath(baseUrl);
  const isBelow =
    url.origin === baseUrl.origin &&
    url.username === "" &&
    url.password === "" &&
    url.pathname.startsWith(`${base}/`);
  return isBelow ? url.pathname.slice(base.length) : null;
}

/** Without a slash at its end. */
function basePath({ pathname }: URL): string {
  return pathname.replace(/\/$/, "");
}
