import { expect, test } from 'bun:test';
import { auditText } from '../../../text/audit.ts';
import { actorName } from './actor-name.ts';

test("the gateway's own actions are named in the reader's language, and people by name", () => {
  expect(actorName({ kind: 'gateway', name: 'first start' }, auditText.zh)).toBe('首次启动');
  expect(actorName({ kind: 'environment', name: 'start of the gateway' }, auditText.zh)).toBe('系统启动');
  expect(actorName({ kind: 'person', name: 'first start' }, auditText.zh)).toBe('first start');
  expect(actorName({ kind: 'gateway', name: 'toString' }, auditText.zh)).toBe('toString');
});
