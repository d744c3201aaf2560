import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { channelOf, directoryOf, MODEL } from '../../call/testing/sample-routes.ts';
import { sampleAccount, sampleCredential } from '../../ports/testing/samples.ts';
import { routesFor } from './routes.ts';

describe('the routes to a chat model', () => {
  const directory = directoryOf(
    [channelOf('a', 'chatting', { models: { [MODEL]: 'up', picture: 'up-picture' } })],
    {},
    [{ id: 'picture', category: 'image' }],
  );
  const principal = (models: readonly string[] | null = null) => ({
    account: sampleAccount(),
    credential: sampleCredential({ models }),
  });

  test('are those of its channels', () => {
    expect(routesFor(directory, principal(), MODEL, 'openai-chat')).toMatchObject({
      model: { id: MODEL },
      targets: [{ channel: { id: 'a' } }],
    });
  });

  test.each([
    ['that does not exist', principal(), 'other', { code: 'model_not_found', status: 404 }],
    ['that the key may not use', principal(['other']), MODEL, { code: 'model_not_allowed', status: 403 }],
    ['of another category', principal(), 'picture', { code: 'model_not_found', status: 400, kind: 'wrong_endpoint' }],
  ])('are refused for one %s', (_, who, modelId, expected) => {
    const failure = routesFor(directory, who, modelId, 'openai-chat');
    if (!(failure instanceof Failure)) throw new Error('there are ways');
    expect(failure).toMatchObject({ ...expected, details: { param: 'model' } });
  });

  test('are empty for a declared model without a channel', () => {
    const empty = directoryOf([], { status: 'public' });
    expect(routesFor(empty, principal(), MODEL, 'openai-chat')).toMatchObject({ targets: [] });
  });
});
