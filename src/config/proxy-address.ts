/** `//` tells a scheme from the user of `user:password@host`. */
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The address of a proxy as variables have it, with a scheme or without: then it is http. Null when it is no URL. */
export function parseProxyAddress(address: string): URL | null {
  const text = address.trim();
  const url = SCHEME.test(text) ? text : `http://${text}`;
  return URL.canParse(url) ? new URL(url) : null;
}
