import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { createMessage, errorMessage, eventMessage, failureMessage, preparedMessages } from './socket.ts';
import { bytesOf } from './testing/context.ts';

function bodyOf(sent: string): string {
  const message = createMessage(bytesOf(sent));
  if (message instanceof Failure) throw new Error(message.message);
  return new TextDecoder().decode(message.body);
}

describe('a message', () => {
  test.each([
    ['{"type":"response.create"}', '{"stream":true}'],
    ['{"type":"response.create","a":1}', '{"stream":true,"a":1}'],
    ['{"a":1,"type":"response.create"}', '{"a":1,"stream":true}'],
    ['{"generate":true,"type":"response.create"}', '{"stream":true}'],
    ['{"stream":true,"background":false,"a":1.0,"type":"response.create"}', '{"a":1.0,"stream":true}'],
    ['{"type":"x","a":1,"type":"response.create","stream_id":"l"}', '{"a":1,"stream":true}'],
    [
      '{"input":{"type":"x","stream":false},"type":"response.create"}',
      '{"input":{"type":"x","stream":false},"stream":true}',
    ],
  ])('%s is the body %s', (sent, body) => {
    expect(bodyOf(sent)).toBe(body);
  });

  test.each([
    ['values', `{"type":[${'[],'.repeat(200_000)}[]]}`, 'payload_too_large'],
    ['depth', `{"type":"response.create","stream_id":${'['.repeat(1_000)}${']'.repeat(1_000)}}`, 'invalid_value'],
    ['names', `{"type":"response.create"${',"type":"response.create"'.repeat(30_000)}}`, 'payload_too_large'],
    ['an unknown member name', '{"type":"response.create","__proto__":{}}', 'invalid_value'],
  ])('is limited like a body before it is parsed: %s', (_, sent, code) => {
    expect(createMessage(bytesOf(sent))).toMatchObject({ code });
  });

  test('has its lane, and whether to generate', () => {
    const sent = '{"type":"response.create","stream_id":"agent_1","generate":false}';
    expect(createMessage(bytesOf(sent))).toMatchObject({ streamId: 'agent_1', generates: false });
    expect(createMessage(bytesOf('{"type":"response.create"}'))).toMatchObject({ streamId: null, generates: true });
  });

  test.each([
    ['', undefined],
    ['[1]', undefined],
    ['"type"', undefined],
    ['{}', 'type'],
    ['{"type":"response.cancel"}', 'type'],
    ['{"type":["response.create"]}', 'type'],
    ['{"type":"response.create","stream":"yes"}', 'stream'],
    ['{"type":"response.create","background":true}', 'background'],
    ['{"type":"response.create","generate":"no"}', 'generate'],
    [`{"type":"response.create","stream_id":"${'x'.repeat(257)}"}`, 'stream_id'],
  ])('is refused if invalid: %s', (sent, param) => {
    const failure = createMessage(bytesOf(sent));
    if (!(failure instanceof Failure)) throw new Error('it was taken');
    expect(failure.status).toBe(400);
    expect(failure.details.param).toBe(param as string);
  });
});

describe('a message to the client', () => {
  test('has the name of its lane', () => {
    expect(eventMessage('{"type":"a"}', null)).toBe('{"type":"a"}');
    expect(JSON.parse(eventMessage('{"type":"a","b":{}} ', 'l'))).toEqual({ type: 'a', b: {}, stream_id: 'l' });
  });

  test('with an error has the status and the error', () => {
    const failure = new Failure('shutting_down', { message: 'Not now.' });
    expect(JSON.parse(failureMessage(failure, 'l'))).toMatchObject({
      ...{ type: 'error', status: 503, stream_id: 'l' },
      error: { code: 'shutting_down', message: 'Not now.' },
    });
    expect(JSON.parse(errorMessage(500, 'nothing', null))).toEqual({ type: 'error', status: 500, error: {} });
  });

  test('for a request without generation is an empty response, created and completed', () => {
    const [created, completed] = preparedMessages(
      '{"id":"resp_1","status":"completed","output":[],"_routing":{}}',
      null,
    );
    expect(JSON.parse(created ?? '').response).toEqual({
      ...{ id: 'resp_1', status: 'in_progress', output: [], completed_at: null, usage: null },
    });
    expect(JSON.parse(completed ?? '')).toMatchObject({ sequence_number: 1, response: { status: 'completed' } });
  });
});
