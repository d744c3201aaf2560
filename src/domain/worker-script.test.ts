import { expect, test } from 'bun:test';
import { workerScript } from './worker-script.ts';

test.each([
  ['file:///project/src/stores/sqlite/outcomes.ts', 'file:///project/src/stores/sqlite/count-outcomes.worker.ts'],
  ['file:///package/server/run-abc123.js', 'file:///package/server/count-outcomes.worker.js'],
  ['file:///$bunfs/root/switchyard', 'file:///$bunfs/root/count-outcomes.worker.js'],
])('the script of a module at %s is %s', (module, script) => {
  expect(workerScript('count-outcomes', module).href).toBe(script);
});
