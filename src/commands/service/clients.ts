import type { Command } from "commander";
import { missingFlags } from "../../calendar/event-text.js";
import { serviceClientView } from "../../output/views/service.js";
import { type ContextOf, requireSubcommand } from "../command.js";
import { type AdminContext, addAdminCommand, type DatabaseFlag } from "./admin-command.js";

export interface ClientsAddOptions extends DatabaseFlag {
  readonly name: string;
  /** Where the authorization server may send the browser back to. @see RFC 6749 §3.1.2 */
  readonly redirectUri?: readonly string[];
}

export function registerServiceClients(command: Command, contextOf: ContextOf): void {
  requireSubcommand(command);
  const add = addAdminCommand(command, "add", "register an OAuth client; its secret is shown this once");
  add
    .argument("<name>")
    .option(
      "--redirect-uri <uri>",
      "redirect URI, required, repeatable; on a loopback address any port will do",
      (uri: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), uri],
    )
    .action((name: string, options: Omit<ClientsAddOptions, "name">) =>
      runClientsAdd(contextOf(add), { ...options, name }),
    );
  const list = addAdminCommand(command, "list", "list the OAuth clients");
  list.action((options: DatabaseFlag) => runClientsList(contextOf(list), options));
  const remove = addAdminCommand(command, "remove", "remove an OAuth client");
  remove
    .argument("<id>")
    .action((id: string, options: DatabaseFlag) => runClientsRemove(contextOf(remove), { ...options, id }));
}

export async function runClientsAdd(context: AdminContext, options: ClientsAddOptions): Promise<void> {
  const output = context.output(serviceClientView);
  const { db, name, redirectUri: redirectUris } = options;
  if (redirectUris === undefined) throw missingFlags(["--redirect-uri"]);
  const admin = await context.service.admin(db);
  const client = await admin.clients.add({ name, redirectUris });
  await output.print(client, `client ${client.id} was added: remove it, its secret is lost`);
}

export async function runClientsList(context: AdminContext, { db }: DatabaseFlag): Promise<void> {
  const output = context.output(serviceClientView);
  const admin = await context.service.admin(db);
  await output.print(await admin.clients.list());
}

export async function runClientsRemove(
  context: AdminContext,
  { id, db }: DatabaseFlag & { readonly id: string },
): Promise<void> {
  const admin = await context.service.admin(db);
  const { name } = await admin.clients.remove(id);
  context.note(`client ${name} removed`);
}
