import { describePostgresStores } from '../shared/postgres-contract.ts';

/** Fewer than for SQLite, since a step takes ten times as long here. */
const HISTORIES = 150;

describePostgresStores(HISTORIES);
