import { expect, test } from 'bun:test';
import pino, { type Logger } from 'pino';
import { writeQuickly } from './log-lines.ts';

const OPTIONS = {
  base: null,
  timestamp: () => ',"time":"2026-01-01T00:00:00.000Z"',
  formatters: { level: (label: string) => ({ level: label }) },
};

/** Returns the lines of the fast logger and those of plain pino. */
function linesOf(log: (logger: Logger) => void): readonly [quick: string[], pinos: string[]] {
  const quick: string[] = [];
  const pinos: string[] = [];
  log(writeQuickly(pino(OPTIONS, { write: (line) => quick.push(line) })));
  log(pino(OPTIONS, { write: (line) => pinos.push(line) }));
  return [quick, pinos];
}

const circular: Record<string, unknown> = { name: 'a' };
circular.self = circular;

test.each<[string, Record<string, unknown>]>([
  ['none', {}],
  ['of a request', { requestId: 'req_1', keyId: null, status: 200, latencyMs: 1.5, stream: false, cached: undefined }],
  ['that need escapes', { said: 'a "quote", \\, \n, \u0000, \u2028, é, 😀', 'a "name"': 1 }],
  ['that are not numbers', { nan: Number.NaN, infinite: Number.POSITIVE_INFINITY, zero: -0 }],
  ['that JSON omits', { call: () => 1, nothing: undefined, date: new Date(0) }],
  ['that are all omitted', { nothing: undefined }],
  ['nested', { failed: [{ channelId: 'a', parts: { n: 1 } }], empty: {} }],
  ['that cannot be serialized', { circular, amount: 5n }],
  ['with an error', { err: new Error('broken') }],
  ['with their own serialization', { toJSON: 'a', b: 1 }],
  ['long', { text: 'x'.repeat(100_000) }],
])('fields %s give the same line as pino', (_which, fields) => {
  const [quick, pinos] = linesOf((logger) => {
    logger.info(fields, 'request');
    logger.child({ node: 'a"b' }).warn(fields, 'said "no" \n %s');
  });
  expect(quick).toHaveLength(2);
  expect(quick).toEqual(pinos);
});

test("a line without a message or fields equals pino's, and levels are kept", () => {
  const alone = new Error('alone');
  const [quick, pinos] = linesOf((logger) => {
    logger.info('only words');
    logger.error({ a: 1 });
    logger.warn(alone);
    logger.debug({ a: 1 }, 'not at this level');
  });
  expect(quick).toHaveLength(3);
  expect(quick).toEqual(pinos);
});
