import { expect, test } from 'bun:test';
import { endOnSignals } from './first-process.ts';

const SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGTERM'];
const handlers = () => SIGNALS.map((signal) => process.listenerCount(signal));

test('only the first process of a container gets handlers, until it has its own', () => {
  const before = handlers();
  endOnSignals(2)();
  expect(handlers()).toEqual(before);
  const stopEnding = endOnSignals(1);
  expect(handlers()).toEqual(before.map((count) => count + 1));
  stopEnding();
  expect(handlers()).toEqual(before);
});
