import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Kysely, SqliteDialect } from "kysely";
import { expect, test } from "vitest";
import { connect } from "../../../src/system/sqlite/connection.js";
import { hashSecret } from "../../secrets.js";
import { openService } from "../../service.js";
import { createCalendars } from "../../store/migrations/0001-calendars.js";
import { CALENDARS } from "../../store/sqlite/errors.js";
import { runSql } from "../support/database.js";
import { sendInProcess } from "../support/send.js";
import { createFolder, NOW } from "../support/world.js";

const REDIRECT_URI = "http://127.0.0.1/callback";

test("a database of schema version 1 keeps its tokens and clients", async () => {
  const folder = createFolder();
  const database = join(folder.path, "calendar.db");
  writeFileSync(database, "");
  const old = new Kysely<unknown>({
    dialect: new SqliteDialect({ database: await connect(database) }),
  });
  await createCalendars(old.schema);
  await old.destroy();
  runSql(
    database,
    `insert into users values ('1', 'Ana', 'ana', 'ana', null, '', '', 0, ${NOW});
     insert into tokens values ('t', '1', '${hashSecret("cal_old")}', 0, ${NOW});
     insert into clients values ('c', 'Board', 'board', '${hashSecret("secret")}', ${NOW});
     insert into redirect_uris values ('c', 0, '${REDIRECT_URI}');
     pragma application_id = ${CALENDARS.applicationId}; pragma user_version = 1;`,
  );
  const service = await openService({ database, now: () => NOW, rateLimit: null });
  const get = async (target: string) => {
    const headers = { authorization: "Bearer cal_old" };
    return (await sendInProcess(service)({ method: "GET", target, headers, body: new Uint8Array() })).status;
  };
  expect(await get("/user")).toBe(200);
  const query = new URLSearchParams({
    client_id: "board",
    redirect_uri: REDIRECT_URI,
    response_type: "code",
  });
  expect(await get(`/oauth/authorize?${query}`)).toBe(200);
  await service.close();
  folder.remove();
});
