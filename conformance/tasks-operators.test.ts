import { setDefaultTimeout } from 'bun:test';
import { testOperators } from './tasks-operators/scenario.ts';

/* `switchyard tasks`, run by an operator beside a running gateway on SQLite. */

setDefaultTimeout(600_000);
testOperators(() => Promise.resolve({}));
