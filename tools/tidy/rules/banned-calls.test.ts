import { describe, expect, test } from 'bun:test';
import { checkTree, messagesOf } from '../testing/check-tree.ts';
import { bannedCalls } from './banned-calls.ts';

// Split into two pieces, because the rule checks this file as well.
const IGNORE_DIRECTIVE = `// @ts-${'ignore'}`;

describe('banned-calls', () => {
  test.each([
    ['src/engine/x/a.ts', `console.error('x')`],
    ['src/engine/x/a.ts', 'const log = console'],
    ['src/domain/x/a.ts', 'JSON.parse(JSON.stringify(x))'],
    ['tools/x/a.ts', 'JSON.parse( JSON.stringify(x) )'],
    ['src/upstream/a.ts', 'Math.random()'],
    ['src/engine/x/a.ts', 'Date.now()'],
    ['src/engine/x/a.ts', 'new Date()'],
    ['src/engine/x/a.ts', 'setTimeout(f, 1)'],
    ['src/engine/x/a.ts', 'globalThis.setInterval(f, 1)'],
    ['src/engine/x/a.ts', `fetch('x')`],
    ['src/transports/ops/a.ts', `await Bun.fetch('x')`],
    ['src/providers/openai/authorize.ts', `fetch('x')`],
    ['src/providers/ollama/models.ts', `fetch('x')`],
    ['src/engine/x/a.ts', 'Number(amountUsd)'],
    ['src/domain/x/a.ts', 'parseFloat(model.pricing.input)'],
    ['src/domain/x/a.ts', `Number.parseFloat(row['price'])`],
    ['src/main/a.ts', `eval('1')`],
    ['src/main/a.ts', `new Function('return 1')`],
    ['src/main/a.ts', 'use(x as any)'],
    ['src/main/a.ts', IGNORE_DIRECTIVE],
    ['src/main/a.ts', '/* FIXME */'],
    ['src/main/a.test.ts', '// TODO later'],
  ])('%s: %s', async (path, code) => {
    expect(await checkTree(bannedCalls, { [path]: `\n${code};` })).toEqual([`${path}:2`]);
  });

  test.each([
    ['src/main/a.ts', `console.log('ready')`],
    ['src/main/a.ts', 'Math.random()'],
    ['src/semantic-cache/training/a.ts', `console.log('precision')`],
    ['src/engine/x/a.ts', 'logger.console.log(1)'],
    ['src/engine/x/a.ts', '// console.log(1) and fetch(2), Date.now()'],
    ['src/engine/x/a.ts', `const text = 'TODO: eval(x as any)'`],
    ['src/engine/x/a.ts', 'new Date(timestampMs)'],
    ['src/engine/x/a.test.ts', 'Date.now(); setTimeout(f, 1); console.log(1); x as any; JSON.parse(JSON.stringify(x))'],
    ['conformance/a.ts', `import { test } from 'bun:test'; JSON.parse(JSON.stringify(x))`],
    ['src/stores/sqlite/a.ts', 'Date.now(); setTimeout(f, 1)'],
    ['src/domain/x/a.ts', 'JSON.parse(text); JSON.stringify(x)'],
    ['src/domain/x/a.ts', 'Number(row.tokens); BigInt(amountUsd)'],
    ['src/upstream/client.ts', `fetch('x')`],
    ['src/engine/x/a.ts', 'app.fetch(request); upstream.fetch(x)'],
    ['src/engine/x/a.ts', 'use(x as unknown); // as any'],
    ['bench/a.ts', `console.log(1); fetch('x'); Math.random(); // TODO`],
  ])('%s is free to: %s', async (path, code) => {
    expect(await checkTree(bannedCalls, { [path]: `${code};` })).toEqual([]);
  });

  test('each message gives the reason and the alternative', async () => {
    expect(await messagesOf(bannedCalls, { 'src/engine/x/a.ts': 'Date.now();' })).toEqual([
      'the system clock: a test cannot control it; use the Clock port',
    ]);
  });
});
