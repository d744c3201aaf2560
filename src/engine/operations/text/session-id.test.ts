import { describe, expect, test } from 'bun:test';
import { sessionIn } from './session-id.ts';

const sessionOf = (headers: Record<string, string>, body: Record<string, unknown> = {}) =>
  sessionIn({ header: (name) => headers[name] ?? null }, body);
const A = sessionOf({}, { session_id: 'session-a' });

describe('the session of a request', () => {
  test.each([
    'x-session-id',
    'x-claude-code-session-id',
    'session-id',
    'session_id',
    'conversation_id',
    'x-session-affinity',
    'x-gemini-api-privileged-user-id',
  ])('is named by the header %s', (name) => {
    expect(A).not.toBeNull();
    expect(sessionOf({ [name]: 'session-a' })).toBe(A);
    expect(sessionOf({ [name]: 'session-b' })).not.toBe(A);
  });

  test('is named in the user id of Claude Code, in both of its forms', () => {
    const metadata = (user_id: unknown) => ({ metadata: { user_id } });
    const json = JSON.stringify({ device_id: 'd', account_uuid: 'x', session_id: 'session-a' });
    expect(sessionOf({}, metadata(json))).toBe(A);
    expect(sessionOf({}, metadata('user_0a1b_account_c2_session_session-a'))).toBe(A);
    for (const other of ['user_0a1b', 'user_session_', '{"session_id":', '{}', '[]', 5, null, 'x'.repeat(5_000)]) {
      expect(sessionOf({}, metadata(other))).toBeNull();
    }
  });

  test('is that of the body before that of a header', () => {
    expect(sessionOf({ 'x-session-id': 'session-b' }, { session_id: 'session-a' })).toBe(A);
    expect(sessionOf({ 'x-session-id': 'session-a', session_id: 'session-b' })).toBe(A);
  });

  test('is none without an id, or with one that is no text, empty or too long', () => {
    expect(sessionOf({})).toBeNull();
    for (const id of [5, {}, ['a'], null, '', 'x'.repeat(1_025)]) expect(sessionOf({}, { session_id: id })).toBeNull();
    expect(sessionOf({}, { session_id: 'x'.repeat(1_024) })).not.toBeNull();
    for (const metadata of [5, 'text', null, [], { user: 'a' }]) expect(sessionOf({}, { metadata })).toBeNull();
  });

  test('is a digest, from which nobody reads the id', () => {
    expect(A).not.toContain('session');
    expect(String(A).length).toBeLessThan(16);
  });
});
