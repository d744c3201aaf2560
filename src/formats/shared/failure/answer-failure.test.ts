import { expect, test } from 'bun:test';
import * as failures from './answer-failure.ts';

test('each failure is the upstream’s, with its own kind for logs and metrics', () => {
  const { bodyNotJson, truncatedStream, emptyStream, eventTooLarge } = failures;
  const made = [bodyNotJson(), truncatedStream(), emptyStream(), eventTooLarge()];
  expect(made.map(({ side }) => side)).toEqual(['upstream', 'upstream', 'upstream', 'upstream']);
  expect(made.map(({ kind }) => kind)).toEqual(['garbage', 'truncated_stream', 'empty_stream', 'event_too_large']);
});
