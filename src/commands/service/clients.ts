import type { Command } from "commander";
import { missingFlagsError, usageError } from "../../errors.js";
import { collect } from "../../global-flags.js";
import { serviceClientView, serviceTokenView } from "../../output/views/service.js";
import { addAction, addSilentAction, type ContextOf, requireSubcommand } from "../command.js";
import { type AdminContext, addAdminCommand, type DatabaseFlag, openAdmin } from "./admin-command.js";

export interface ClientsAddOptions extends DatabaseFlag {
  readonly name: string;
  /** Where the authorization server may redirect to. @see RFC 6749 §3.1.2 */
  readonly redirectUri?: readonly string[];
}

export function registerServiceClients(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(
    command,
    "add <name>",
    "register an OAuth client and print its secret, which is never shown again",
  );
  const redirectUri = "redirect URI (required), repeatable; a loopback address matches any port";
  addAction(add.option("--redirect-uri <uri>", redirectUri, collect), contextOf, runClientsAdd);
  addAction(addAdminCommand(command, "list", "list the OAuth clients"), contextOf, runClientsList);
  addSilentAction(
    addAdminCommand(command, "remove <id>", "remove an OAuth client"),
    contextOf,
    runClientsRemove,
  );
}

interface IdArgument extends DatabaseFlag {
  readonly id: string;
}

export async function runClientsAdd(context: AdminContext, options: ClientsAddOptions): Promise<void> {
  const output = context.output(serviceClientView);
  const { db, name, redirectUri: redirectUris } = options;
  if (redirectUris === undefined) throw missingFlagsError(["--redirect-uri"]);
  const admin = await openAdmin(context, db);
  const client = await admin.clients.add({ name, redirectUris });
  await output.print(client, `client ${client.id} was added; remove it, since its secret is lost`);
}

export async function runClientsList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output(serviceClientView);
  const admin = await openAdmin(context, db);
  await output.print(await admin.clients.list());
}

export async function runClientsRemove(context: AdminContext, { id, db }: IdArgument): Promise<void> {
  const admin = await openAdmin(context, db, { ID: id });
  const { name } = await admin.clients.remove(id);
  context.note(`client ${name} removed`);
}

export interface TokensCreateOptions extends DatabaseFlag {
  /** Name or id. */
  readonly user?: string;
  readonly readOnly?: boolean;
}

export function registerServiceTokens(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const create = addAdminCommand(
    command,
    "create",
    "create a personal access token and print it; it is never shown again",
  )
    .option("--user <user>", "name or id of its owner (required)")
    .option("--read-only", "create a token that cannot write");
  addAction(create, contextOf, runTokensCreate);
  addAction(
    addAdminCommand(command, "list", "list the tokens without their secrets"),
    contextOf,
    runTokensList,
  );
  const revoke = addAdminCommand(command, "revoke [id]", "revoke a token, or every token of a user");
  addSilentAction(
    revoke.option("--user <user>", "revoke every token of this user instead (name or id)"),
    contextOf,
    runTokensRevoke,
  );
}

export async function runTokensCreate(context: AdminContext, options: TokensCreateOptions): Promise<void> {
  const output = context.output(serviceTokenView);
  const { db, user, readOnly = false } = options;
  if (user === undefined) throw missingFlagsError(["--user"]);
  const admin = await openAdmin(context, db, { "--user": user });
  const token = await admin.tokens.create({ user, readOnly });
  await output.print(token, `token ${token.id} was created; revoke it, since its text is lost`);
}

export async function runTokensList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output(serviceTokenView);
  const admin = await openAdmin(context, db);
  await output.print(await admin.tokens.list());
}

export interface TokensRevokeOptions extends DatabaseFlag {
  readonly id?: string;
  /** Name or id. */
  readonly user?: string;
}

export async function runTokensRevoke(context: AdminContext, options: TokensRevokeOptions): Promise<void> {
  const { id, user, db } = options;
  if (id !== undefined && user !== undefined) throw usageError("give either ID or --user, not both");
  if (id !== undefined) {
    const admin = await openAdmin(context, db, { ID: id });
    await admin.tokens.revoke(id);
    context.note(`token ${id} revoked`);
    return;
  }
  if (user === undefined) throw missingFlagsError(["ID or --user"]);
  const admin = await openAdmin(context, db, { "--user": user });
  const { name, tokens } = await admin.tokens.revokeAll(user);
  context.note(`${tokens === 1 ? "1 token" : `${tokens} tokens`} of ${name} revoked`);
}
