import {
  type CompiledQuery,
  type CreateTableNode,
  type DatabaseConnection,
  DataTypeNode,
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RootOperationNode,
  sql,
} from "kysely";
import type { QueryResultRow } from "pg";
import type { StoreSchema } from "../schema.js";
import type { Transaction } from "../store.js";

/** Runs one statement on the connection of a transaction. */
export type RunStatement = (
  text: string,
  parameters?: readonly unknown[],
) => Promise<{ readonly rows: QueryResultRow[]; readonly rowCount: number | null; readonly command: string }>;

/** One for all: queries are compiled once for each. */
const ADAPTER = new PostgresAdapter();

/** What queries run on, for one transaction, which somebody else begins and ends. */
export function createTransaction(run: RunStatement): Transaction {
  const connection = createConnection(run);
  const done = async () => undefined;
  return new Kysely<StoreSchema>({
    dialect: {
      createAdapter: () => ADAPTER,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: done,
        acquireConnection: async () => connection,
        beginTransaction: done,
        commitTransaction: done,
        rollbackTransaction: done,
        releaseConnection: done,
        destroy: done,
      }),
    },
  });
}

function createConnection(run: RunStatement): DatabaseConnection {
  return {
    async executeQuery<R>({ sql: text, parameters }: CompiledQuery) {
      const { rows, rowCount, command } = await run(text, parameters.map(withoutNul));
      return {
        rows: rows as R[],
        ...(command !== "SELECT" && { numAffectedRows: BigInt(rowCount ?? 0) }),
      };
    },
    streamQuery: () => {
      throw new Error("queries are not streamed");
    },
  };
}

/** PostgreSQL has no NUL in text. No stored text has one, so what is looked for with one is not found. */
function withoutNul(parameter: unknown): unknown {
  return typeof parameter === "string" && parameter.includes("\0")
    ? parameter.replaceAll("\0", "\ufffd")
    : parameter;
}

/** Text columns that compare by bytes, as in SQLite, whatever the language of the database is. */
const TEXT = sql`text collate "C"`.toOperationNode();

/** For migrations: makes them the columns that `text` asks for. */
export const BYTE_ORDER: KyselyPlugin = {
  transformQuery: ({ node }) => withByteOrder(node),
  transformResult: async ({ result }) => result,
};

function withByteOrder(node: RootOperationNode): RootOperationNode {
  if (node.kind === "CreateTableNode") return { ...node, columns: node.columns.map(textByBytes) };
  if (node.kind !== "AlterTableNode" || node.columnAlterations === undefined) return node;
  const columnAlterations = node.columnAlterations.map((alteration) =>
    alteration.kind === "AddColumnNode"
      ? { ...alteration, column: textByBytes(alteration.column) }
      : alteration,
  );
  return { ...node, columnAlterations };
}

function textByBytes(column: CreateTableNode["columns"][number]): CreateTableNode["columns"][number] {
  const { dataType } = column;
  return DataTypeNode.is(dataType) && dataType.dataType === "text" ? { ...column, dataType: TEXT } : column;
}
