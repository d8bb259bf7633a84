import { openStore } from "../../store/sqlite/open.js";
import { describeRandomWrites } from "../random-writes.js";

describeRandomWrites("SQLite", 10_000, () => openStore(":memory:"));
