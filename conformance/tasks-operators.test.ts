import { setDefaultTimeout } from 'bun:test';
import { testOperators } from './tasks-operators/scenario.ts';

/* `switchyard tasks`: an operator beside a running gateway, on SQLite. */

setDefaultTimeout(60_000);
testOperators(() => Promise.resolve({}));
