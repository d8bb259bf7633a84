import { requireSystem } from "./system.js";

/** For test files that run on PostgreSQL. */
requireSystem("postgres");
