import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest } from '../../text/client-request.ts';
import { openaiChat } from '../../text/openai-chat/index.ts';

const failure = new Failure('upstream_error', { message: 'It broke off.' });
const asked = { model: 'm', omitsNullUsage: true } as ParsedRequest;

test("a stream of OpenRouter's client ends with a chunk that has the error", () => {
  const text = openaiChat.encodeStreamFailure(failure, asked, { requestId: 'req_1' });
  expect(JSON.parse(text.replace(/^data: /, ''))).toMatchObject({
    ...{ id: 'req_1', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [] },
    error: {
      code: failure.status,
      message: 'It broke off.',
      metadata: { error_type: 'unmapped', code: 'upstream_error' },
    },
  });
});

test('any other stream ends with the error alone', () => {
  const text = openaiChat.encodeStreamFailure(failure, { ...asked, omitsNullUsage: false });
  expect(Object.keys(JSON.parse(text.replace(/^data: /, '')))).toEqual(['error']);
});
