import { expect, test } from 'bun:test';
import { auditText } from '../../../text/audit.ts';
import { actionName } from './action-name.ts';

test('an action is named in the language of the reader, and by its code if it has no name', () => {
  expect(actionName({ action: 'balance.grant' }, auditText.en)).toBe('Credit added');
  expect(actionName({ action: 'balance.grant' }, auditText.zh)).toBe('充值');
  expect(actionName({ action: 'toString' }, auditText.en)).toBe('toString');
});
