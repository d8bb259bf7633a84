import type { Command } from "commander";
import { missingFlags } from "../../calendar/event-text.js";
import { serviceTokenView } from "../../output/views/service.js";
import { type ContextOf, requireSubcommand } from "../command.js";
import { type AdminContext, addAdminCommand, type DatabaseFlag } from "./admin-command.js";

export interface TokensCreateOptions extends DatabaseFlag {
  /** Name or id. */
  readonly user?: string;
  readonly readOnly?: boolean;
}

export function registerServiceTokens(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const create = addAdminCommand(command, "create", "make a personal access token; it is shown this once");
  create
    .option("--user <user>", "name or id of its owner (required)")
    .option("--read-only", "a token that may not write")
    .action((options: TokensCreateOptions) => runTokensCreate(contextOf(create), options));
  const list = addAdminCommand(command, "list", "list the tokens, never the secrets");
  list.action((options: DatabaseFlag) => runTokensList(contextOf(list), options));
  const revoke = addAdminCommand(command, "revoke", "revoke a token");
  revoke
    .argument("<id>")
    .action((id: string, options: DatabaseFlag) => runTokensRevoke(contextOf(revoke), { ...options, id }));
}

export async function runTokensCreate(context: AdminContext, options: TokensCreateOptions): Promise<void> {
  const output = context.output(serviceTokenView);
  const { db, user, readOnly = false } = options;
  if (user === undefined) throw missingFlags(["--user"]);
  const admin = await context.service.admin(db);
  const token = await admin.tokens.create({ user, readOnly });
  await output.print(token, `token ${token.id} was created: revoke it, its text is lost`);
}

export async function runTokensList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output(serviceTokenView);
  const admin = await context.service.admin(db);
  await output.print(await admin.tokens.list());
}

export async function runTokensRevoke(
  context: AdminContext,
  { id, db }: DatabaseFlag & { readonly id: string },
): Promise<void> {
  const admin = await context.service.admin(db);
  await admin.tokens.revoke(id);
  context.note(`token ${id} revoked`);
}
