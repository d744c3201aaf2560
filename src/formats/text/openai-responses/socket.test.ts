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
    ['a name that no format has', '{"type":"response.create","__proto__":{}}', 'invalid_value'],
  ])('is held to the bounds of a body before anything is built of it: %s', (_, sent, code) => {
    expect(createMessage(bytesOf(sent))).toMatchObject({ code });
  });

  test('says its lane, and whether anything is to be generated', () => {
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
  ])('that is none is refused: %s', (sent, param) => {
    const failure = createMessage(bytesOf(sent));
    if (!(failure instanceof Failure)) throw new Error('it was taken');
    expect(failure.status).toBe(400);
    expect(failure.details.param).toBe(param as string);
  });
});

describe('what goes to the client', () => {
  test('has the name of its lane', () => {
    expect(eventMessage('{"type":"a"}', null)).toBe('{"type":"a"}');
    expect(JSON.parse(eventMessage('{"type":"a","b":{}} ', 'l'))).toEqual({ type: 'a', b: {}, stream_id: 'l' });
  });

  test('of an error has the status and what the error says', () => {
    const failure = new Failure('shutting_down', { message: 'Not now.' });
    expect(JSON.parse(failureMessage(failure, 'l'))).toMatchObject({
      ...{ type: 'error', status: 503, stream_id: 'l' },
      error: { code: 'shutting_down', message: 'Not now.' },
    });
    expect(JSON.parse(errorMessage(500, 'nothing', null))).toEqual({ type: 'error', status: 500, error: {} });
  });

  test('of a request that only prepares is an empty response, begun and done', () => {
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
