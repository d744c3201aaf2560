import { expect, test } from 'bun:test';
import { DEFAULT_BREAKER } from '../../domain/routing/breaker-settings.ts';
import { sampleChannel } from '../ports/testing/samples.ts';
import { ChannelHealth } from './channel-health.ts';

test('the health of removed models is dropped, with that of their endpoints; that of an API stays', () => {
  const health = new ChannelHealth('a', DEFAULT_BREAKER);
  const ids = ['kept', 'gone', '/files', '/count_tokens kept', '/count_tokens gone'];
  const before = ids.map((id) => health.model(id));
  health.configure(sampleChannel({ models: { public: 'kept' } }), 0);
  const isSame = ids.filter((id, index) => health.model(id) === before[index]);
  expect(isSame).toEqual(['kept', '/files', '/count_tokens kept']);
});
