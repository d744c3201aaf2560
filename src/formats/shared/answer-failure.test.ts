import { expect, test } from 'bun:test';
import * as failures from './answer-failure.ts';

test('each failure is the upstream’s, and has a kind of its own for logs and metrics', () => {
  const { bodyNotJson, truncatedStream, emptyStream, eventTooLarge } = failures;
  const made = [bodyNotJson(), truncatedStream(), emptyStream(), eventTooLarge()];
  expect(made.map(({ side }) => side)).toEqual(['upstream', 'upstream', 'upstream', 'upstream']);
  expect(made.map(({ kind }) => kind)).toEqual(['garbage', 'truncated_stream', 'empty_stream', 'event_too_large']);
});

test('an upstream’s words are told without secrets; where it says nothing there is no failure', () => {
  const said = failures.saidInAnswer('overloaded, key sk-proj-abcdefghijklmnop0123456789');
  expect(said).toMatchObject({ kind: 'error_in_200', code: 'upstream_error' });
  expect(said?.message).not.toContain('abcdefghijklmnop');
  expect(failures.saidInAnswer('<br>')?.message).toBe('The upstream sent an error without words.');
  expect([failures.saidInAnswer(''), failures.saidInAnswer(7)]).toEqual([null, null]);
});
