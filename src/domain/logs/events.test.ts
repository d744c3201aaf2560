import { expect, test } from 'bun:test';
import { LOG_EVENT_LIST } from './events.ts';
import { LOG_FIELDS, writtenName } from './fields.ts';

test('every event has a name and a message of its own', () => {
  const names = LOG_EVENT_LIST.map(({ event }) => event);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(LOG_EVENT_LIST.map(({ message }) => message)).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
});

test('the names of fields are written in snake case, and none is the name of a member that every line has', () => {
  const names = Object.keys(LOG_FIELDS).map(writtenName);
  expect(names).toContain('client_request_id');
  expect(names.filter((name) => !/^[a-z]+(_[a-z0-9]+)*$/.test(name))).toEqual([]);
  expect(names.filter((name) => ['time', 'level', 'component', 'event', 'msg'].includes(name))).toEqual([]);
});
