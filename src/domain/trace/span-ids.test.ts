import { expect, test } from 'bun:test';
import {
  attemptSpanIdOf,
  childSpanIdOf,
  operationSpanIdOf,
  requestIdOfTrace,
  serverSpanIdOf,
  stepSpanIdOf,
  traceIdOf,
} from './span-ids.ts';

const REQUEST = 'req_019acf6e-0b1c-7d2e-9f3a-4b5c6d7e8f90';

test('the ids of spans follow from the id of the request, and lead back to it', () => {
  expect(traceIdOf(REQUEST)).toBe('019acf6e0b1c7d2e9f3a4b5c6d7e8f90');
  expect(serverSpanIdOf(REQUEST)).toBe('9f3a4b5c6d7e8f90');
  expect(requestIdOfTrace(traceIdOf(REQUEST))).toBe(REQUEST);
});

test('a trace of somebody else leads to no request', () => {
  for (const id of ['4bf92f3577b34da6a3ce929d0e0e4736', '', `${traceIdOf(REQUEST)}0`]) {
    expect(requestIdOfTrace(id)).toBeNull();
  }
});

test('the children of a span have ids of their own', () => {
  for (const parent of [serverSpanIdOf(REQUEST), '0000000000000001', 'ffffffffffffffff', '000000009e3779b1']) {
    const ids = new Set([parent]);
    for (let number = 1; number <= 5_000; number++) ids.add(childSpanIdOf(parent, number));
    expect(ids.size).toBe(5_001);
    for (const id of ids) expect(id).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
  }
});

test('the spans of one call have different ids', () => {
  const server = '8f3a1b2c3d4e5f60';
  const numbers = Array.from({ length: 200 }, (_, number) => number);
  const attempts = numbers.map((number) => attemptSpanIdOf(server, number));
  const steps = numbers.map((number) => stepSpanIdOf(server, number));
  expect(new Set([server, operationSpanIdOf(server), ...attempts, ...steps]).size).toBe(402);
});
