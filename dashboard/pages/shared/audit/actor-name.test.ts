import { expect, test } from 'bun:test';
import { auditText } from '../../../text/audit.ts';
import { actorName } from './actor-name.ts';

test('what the gateway does by itself is told in the language of the reader, people by their names', () => {
  expect(actorName({ kind: 'gateway', name: 'first start' }, auditText.zh)).toBe('首次启动');
  expect(actorName({ kind: 'environment', name: 'start of the gateway' }, auditText.zh)).toBe('系统启动');
  expect(actorName({ kind: 'person', name: 'first start' }, auditText.zh)).toBe('first start');
  expect(actorName({ kind: 'gateway', name: 'toString' }, auditText.zh)).toBe('toString');
});
