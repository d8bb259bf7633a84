import { usageError } from "../../errors.js";
import type { AdminOptions, LabelAdmin } from "../admin.js";
import { LABEL_PALETTE } from "../palette.js";
import { checkColor, checkLine, requireCalendar } from "./naming.js";
import { labelShape } from "./shapes.js";

export function createLabelAdmin({ store }: AdminOptions): LabelAdmin {
  return {
    async set(calendar, number, { name, color }) {
      checkNumber(number);
      if (name === undefined && color === undefined) {
        throw usageError("there is nothing to set", "give --name or --label-color");
      }
      if (name !== undefined) checkLine(name, "name");
      if (color !== undefined) checkColor(color);
      return store.write(async (db) => {
        const { id } = await requireCalendar(db, calendar);
        const label = await db
          .updateTable("labels")
          .set({ ...(name !== undefined && { name }), ...(color !== undefined && { color }) })
          .where("calendar_id", "=", id)
          .where("number", "=", number)
          .returningAll()
          .executeTakeFirstOrThrow();
        return labelShape(label);
      });
    },
  };
}

function checkNumber(number: number): void {
  if (!Number.isInteger(number) || number < 1 || number > LABEL_PALETTE.length) {
    throw usageError(`there is no label ${number}`, `labels are numbered from 1 to ${LABEL_PALETTE.length}`);
  }
}
