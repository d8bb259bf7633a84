/**
 * Opens the address on stdin in the user's browser. A separate process, because launchers may hang, and because they
 * inherit its environment, which must not contain secrets.
 */
export async function runBrowserHelper(stdin: AsyncIterable<Uint8Array | string>): Promise<void> {
  let url = "";
  for await (const chunk of stdin)
    url += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
  const { default: open } = await import("open");
  await open(url);
}
