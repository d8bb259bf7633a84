import { collect } from "../../src/cli/global-flags.js";
import { usageError } from "../../src/errors.js";
import { checkId } from "../../src/events/names.js";
import type { ServiceAdmin } from "../admin/admin.js";
import { serviceClientView, serviceTokenView } from "../views/service.js";
import { adminCommand, choicesOf, needsName, needsOneOf, needsUser } from "./admin-command.js";

const add = adminCommand({
  name: "add [name]",
  summary: "register an OAuth client and print its secret, which is shown only once",
  declare: (command) =>
    command.option(
      "--redirect-uri <uri>",
      "redirect URI (required), repeatable; a loopback address matches any port",
      collect,
    ),
  prints: { view: serviceClientView, count: "one" },
  examples: [
    [
      "Let users sign in with calctl",
      "calctl service clients add calctl --redirect-uri http://127.0.0.1/callback",
    ],
  ],
  needs: {
    name: needsName,
    redirectUri: (given, { run: { terminal } }) => ({
      name: "--redirect-uri",
      given,
      ask: async () => [
        await terminal.prompt.text("Redirect URI:", { default: "http://127.0.0.1/callback" }),
      ],
    }),
  },
  run: async (open, { name, redirectUri: redirectUris }: NewClient) =>
    (await open()).clients.add({ name, redirectUris }),
  completed: ({ id }) => `client ${id} was added; remove it, since its secret is lost`,
});

interface NewClient {
  readonly name: string;
  /** Where the authorization server may redirect to. @see RFC 6749 §3.1.2 */
  readonly redirectUri: readonly string[];
}

const list = adminCommand({
  name: "list",
  summary: "list the OAuth clients",
  prints: { view: serviceClientView, count: "list" },
  examples: [["All clients, with their redirect URIs", "calctl service clients list"]],
  run: async (open) => (await open()).clients.list(),
});

const remove = adminCommand({
  name: "remove [id]",
  summary: "remove an OAuth client",
  examples: [
    [
      "Remove the client that was added first",
      'calctl service clients remove "$(calctl service clients list --fields id | head -n 1)"',
    ],
  ],
  needs: {
    id: needsOneOf({
      name: "ID",
      noun: "Client",
      list: async ({ clients }) => choicesOf(await clients.list()),
    }),
  },
  async run(open, { id }: { readonly id: string }) {
    const { name } = await (await open()).clients.remove(id);
    return `client ${name} removed`;
  },
});

export const clientCommands = [add, list, remove];

const createToken = adminCommand({
  name: "create",
  summary: "create a personal access token and print it, which happens only once",
  declare: (command) =>
    command
      .option("--user <user>", "id, name or login of its owner (required)")
      .option("--read-only", "make the token read-only"),
  prints: { view: serviceTokenView, count: "one" },
  examples: [
    [
      "A read-only token for a script, in a file that only you can read",
      "(umask 077; calctl service tokens create --user Ben --read-only --fields token >token-file)",
    ],
  ],
  needs: { user: needsUser("--user") },
  run: async (open, { user, readOnly = false }: { readonly user: string; readonly readOnly?: boolean }) =>
    (await open()).tokens.create({ user, readOnly }),
  completed: ({ id }) => `token ${id} was created; revoke it, since its text is lost`,
});

const listTokens = adminCommand({
  name: "list",
  summary: "list tokens, without their secrets",
  prints: { view: serviceTokenView, count: "list" },
  examples: [["All tokens and their owners", "calctl service tokens list --fields id,user_id"]],
  run: async (open) => (await open()).tokens.list(),
});

const revokeToken = adminCommand({
  name: "revoke [id]",
  summary: "revoke a token, or every token of a user",
  declare: (command) =>
    command.option("--user <user>", "revoke every token of this user instead (id, name or login)"),
  examples: [
    [
      "Revoke the token that was created first",
      'calctl service tokens revoke "$(calctl service tokens list --fields id | head -n 1)"',
    ],
    ["Revoke all tokens of a user", "calctl service tokens revoke --user Ben"],
  ],
  needs: {
    id: needsOneOf({
      name: "ID or --user",
      noun: "Token",
      list: describeTokens,
      when: ({ user }) => user === undefined,
    }),
  },
  async run(open, { id, user }: { readonly id?: string; readonly user?: string }) {
    if (user === undefined) {
      const token = await (await open()).tokens.revoke(id ?? "");
      return `token ${token.id} revoked`;
    }
    if (id !== undefined) throw usageError("give either ID or --user, not both");
    checkId(user, "--user");
    const { name, tokens } = await (await open()).tokens.revokeAll(user);
    return `${tokens === 1 ? "1 token" : `${tokens} tokens`} of ${name} revoked`;
  },
});

/** By owner and time, since nobody knows their ids. */
async function describeTokens({ tokens, users }: ServiceAdmin) {
  const names = new Map((await users.list()).map(({ id, name }) => [id, name]));
  return (await tokens.list()).map(({ id, user_id, created_at }) => ({
    value: id,
    name: names.get(user_id) ?? user_id,
    description: `created ${created_at}, ${id}`,
  }));
}

export const tokenCommands = [createToken, listTokens, revokeToken];
