import { describePostgresStores } from '../shared/postgres-contract.ts';

/** Enough to run each statement often. The full laws are tested on the newest version. */
const HISTORIES = 20;

describePostgresStores(HISTORIES);
