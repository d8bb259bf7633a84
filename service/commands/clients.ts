import type { Command } from "commander";
import { addAction, addSilentAction, type ContextOf, requireSubcommand } from "../../src/cli/command.js";
import { describeCommand } from "../../src/cli/command-facts.js";
import { collect } from "../../src/cli/global-flags.js";
import { completeValues } from "../../src/commands/missing-values.js";
import { usageError } from "../../src/errors.js";
import type { ServiceAdmin } from "../admin/admin.js";
import { serviceClientView, serviceTokenView } from "../views/service.js";
import {
  type AdminContext,
  type AskingContext,
  addAdminCommand,
  choicesOf,
  type DatabaseFlag,
  neededAmong,
  neededName,
  neededUser,
  openAdmin,
} from "./admin-command.js";

interface ClientsAddOptions extends DatabaseFlag {
  readonly name?: string;
  /** Where the authorization server may redirect to. @see RFC 6749 §3.1.2 */
  readonly redirectUri?: readonly string[];
}

export function registerServiceClients(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(
    command,
    "add [name]",
    "register an OAuth client and print its secret, which is never shown again",
  );
  const redirectUri = "redirect URI (required), repeatable; a loopback address matches any port";
  describeCommand(add.option("--redirect-uri <uri>", redirectUri, collect), {
    prints: { view: serviceClientView, count: "one" },
    examples: () => [
      [
        "So that users can sign in with calctl",
        "calctl service clients add calctl --redirect-uri http://127.0.0.1/callback",
      ],
    ],
  });
  addAction(add, contextOf, runClientsAdd);
  const list = addAdminCommand(command, "list", "list the OAuth clients");
  describeCommand(list, {
    prints: { view: serviceClientView, count: "list" },
    examples: () => [["Their ids and redirect URIs", "calctl service clients list"]],
  });
  addAction(list, contextOf, runClientsList);
  const remove = addAdminCommand(command, "remove [id]", "remove an OAuth client");
  describeCommand(remove, {
    examples: () => [
      [
        "The one that was added first",
        'calctl service clients remove "$(calctl service clients list --fields id | head -n 1)"',
      ],
    ],
  });
  addSilentAction(remove, contextOf, runClientsRemove);
}

interface IdArgument extends DatabaseFlag {
  readonly id?: string;
}

async function runClientsAdd(
  context: AskingContext,
  options: ClientsAddOptions,
  command: Command,
): Promise<void> {
  const output = () => context.output.of(serviceClientView);
  const { terminal } = context;
  const needed = {
    name: neededName(context, options.name),
    redirectUris: {
      name: "--redirect-uri",
      given: options.redirectUri,
      ask: async () => [
        await terminal.prompt.text("Redirect URI:", { default: "http://127.0.0.1/callback" }),
      ],
    },
  };
  const { name, redirectUris } = await completeValues(terminal.prompt, needed, { command, check: output });
  const admin = await openAdmin(context, options.db);
  const client = await admin.clients.add({ name, redirectUris });
  await output().print(client, `client ${client.id} was added; remove it, since its secret is lost`);
}

async function runClientsList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output.of(serviceClientView);
  const admin = await openAdmin(context, db);
  await output.print(await admin.clients.list());
}

async function runClientsRemove(
  context: AskingContext,
  { id: given, db }: IdArgument,
  command: Command,
): Promise<void> {
  const list = async ({ clients }: ServiceAdmin) => choicesOf(await clients.list());
  const needed = { id: neededAmong(context, db, { name: "ID", given, noun: "Client", list }) };
  const { id } = await completeValues(context.terminal.prompt, needed, { command });
  const admin = await openAdmin(context, db);
  const { name } = await admin.clients.remove(id);
  context.output.note(`client ${name} removed`);
}

interface TokensCreateOptions extends DatabaseFlag {
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
    .option("--user <user>", "id, name or login of its owner (required)")
    .option("--read-only", "create a token that cannot write");
  describeCommand(create, {
    prints: { view: serviceTokenView, count: "one" },
    examples: () => [
      [
        "For a script that only reads, into a file that only you can read",
        "(umask 077; calctl service tokens create --user Ben --read-only --fields token >token-file)",
      ],
    ],
  });
  addAction(create, contextOf, runTokensCreate);
  const list = addAdminCommand(command, "list", "list the tokens without their secrets");
  describeCommand(list, {
    prints: { view: serviceTokenView, count: "list" },
    examples: () => [["Whose tokens are there?", "calctl service tokens list --fields id,user_id"]],
  });
  addAction(list, contextOf, runTokensList);
  const revoke = addAdminCommand(command, "revoke [id]", "revoke a token, or every token of a user");
  describeCommand(
    revoke.option("--user <user>", "revoke every token of this user instead (id, name or login)"),
    {
      examples: () => [
        ["One token", 'calctl service tokens revoke "$(calctl service tokens list --fields id | head -n 1)"'],
        ["All of a user", "calctl service tokens revoke --user Ben"],
      ],
    },
  );
  addSilentAction(revoke, contextOf, runTokensRevoke);
}

async function runTokensCreate(
  context: AskingContext,
  options: TokensCreateOptions,
  command: Command,
): Promise<void> {
  const output = context.output.of(serviceTokenView);
  const { db, readOnly = false } = options;
  const needed = { user: neededUser(context, db, { name: "--user", given: options.user }) };
  const { user } = await completeValues(context.terminal.prompt, needed, { command });
  const admin = await openAdmin(context, db);
  const token = await admin.tokens.create({ user, readOnly });
  await output.print(token, `token ${token.id} was created; revoke it, since its text is lost`);
}

async function runTokensList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output.of(serviceTokenView);
  const admin = await openAdmin(context, db);
  await output.print(await admin.tokens.list());
}

interface TokensRevokeOptions extends DatabaseFlag {
  readonly id?: string;
  /** Name or id. */
  readonly user?: string;
}

async function runTokensRevoke(
  context: AskingContext,
  options: TokensRevokeOptions,
  command: Command,
): Promise<void> {
  const { id: given, user, db } = options;
  if (given !== undefined && user !== undefined) throw usageError("give either ID or --user, not both");
  if (user !== undefined) {
    const admin = await openAdmin(context, db, { "--user": user });
    const { name, tokens } = await admin.tokens.revokeAll(user);
    context.output.note(`${tokens === 1 ? "1 token" : `${tokens} tokens`} of ${name} revoked`);
    return;
  }
  const place = { name: "ID or --user", given, noun: "Token", list: describeTokens };
  const needed = { id: neededAmong(context, db, place) };
  const { id } = await completeValues(context.terminal.prompt, needed, { command });
  const admin = await openAdmin(context, db);
  await admin.tokens.revoke(id);
  context.output.note(`token ${id} revoked`);
}

/** By owner and time, since nobody knows their ids. */
async function describeTokens({ tokens, users }: ServiceAdmin) {
  const names = new Map((await users.list()).map(({ id, name }) => [id, name]));
  return (await tokens.list()).map(({ id, user_id, created_at }) => ({
    value: id,
    name: names.get(user_id) ?? user_id,
    description: `created ${created_at}, ${id}`,
  }));
}
