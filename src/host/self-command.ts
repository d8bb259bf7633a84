/** Program and first arguments that start this program again. */
export type SelfCommand = readonly [program: string, ...args: string[]];

/** Node and the script it was started with. */
export function selfCommand({
  execPath,
  argv,
}: {
  readonly execPath: string;
  readonly argv: readonly string[];
}): SelfCommand {
  const [, script] = argv;
  return script === undefined ? [execPath] : [execPath, script];
}
