import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.js";
import { hashSecret } from "../../secrets.js";
import { openService } from "../../service.js";
import { MIGRATIONS } from "../../store/migrations.js";
import { CALENDARS } from "../../store/sqlite/errors.js";
import { runSql } from "../support/database.js";
import { request } from "../support/send.js";
import { NOW } from "../support/world.js";

const REDIRECT_URI = "http://127.0.0.1/callback";

test("a database of schema version 1 keeps its tokens and clients", async () => {
  const folder = temporaryFolder();
  const database = join(folder, "calendar.db");
  runSql(
    database,
    `${MIGRATIONS[0]?.statements}
     insert into users values ('1', 'Ana', 'ana', 'ana', null, '', '', 0, ${NOW});
     insert into tokens values ('t', '1', '${hashSecret("cal_old")}', 0, ${NOW});
     insert into clients values ('c', 'Board', 'board', '${hashSecret("secret")}', ${NOW});
     insert into redirect_uris values ('c', 0, '${REDIRECT_URI}');
     pragma application_id = ${CALENDARS.applicationId}; pragma user_version = 1;`,
  );
  const service = await openService({ database, now: () => NOW, rateLimit: null });
  const get = async (target: string) =>
    (await request({ service, token: "cal_old" }, `GET ${target}`)).status;
  expect(await get("/user")).toBe(200);
  const query = new URLSearchParams({
    client_id: "board",
    redirect_uri: REDIRECT_URI,
    response_type: "code",
  });
  expect(await get(`/oauth/authorize?${query}`)).toBe(200);
  await service.close();
});
