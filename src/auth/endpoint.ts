/** The address of an endpoint: its path behind that of the authorization server. */
export function endpointAddress(authUrl: URL, { path }: { readonly path: string }): string {
  return `${authUrl.href.replace(/\/$/, "")}${path}`;
}
