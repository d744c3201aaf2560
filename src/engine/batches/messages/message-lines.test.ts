import { expect, test } from 'bun:test';
import { NO_BATCH_USAGE } from '../../../domain/batches/batch.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { messageLine } from './message-line.ts';
import { messageResult, unrunResult } from './message-result.ts';
import { MessageResults } from './message-results.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('a request becomes a line of an input file, with its digits and its order', () => {
  const params = '{"model":"m","max_tokens":10,"x":{"10":1.0,"2":123456789012345678901},"e":"\\n🚦"}';
  expect(messageLine(bytes(`{\n "params" : ${params},\n "custom_id": "a-1" }`), 0)).toEqual({
    customId: 'a-1',
    json: `{"custom_id":"a-1","method":"POST","url":"/v1/messages","body":${params}}\n`,
  });
});

test('a wrong request is refused by name', () => {
  const cases: readonly [string, string, string][] = [
    ['{"custom_id":}', 'invalid_json', 'requests[7]'],
    ['{"params":{}}', 'invalid_value', 'requests[7].custom_id'],
    ['{"custom_id":"ä","params":{}}', 'invalid_value', 'requests[7].custom_id'],
    [`{"custom_id":"${'x'.repeat(65)}","params":{}}`, 'invalid_value', 'requests[7].custom_id'],
    ['{"custom_id":"a"}', 'invalid_value', 'requests[7].params'],
    ['{"custom_id":"a","params":[]}', 'invalid_value', 'requests[7].params'],
    ['{"custom_id":"a","params":{"stream":true}}', 'invalid_value', 'requests[7].params.stream'],
    [
      `{"custom_id":"a","params":{"x":${'['.repeat(100_000)}1.0${']'.repeat(100_000)}}}`,
      'invalid_value',
      'requests[7]',
    ],
    ['{"custom_id":"a","params":{},"url":"x"}', 'unsupported_parameter', 'requests[7].url'],
  ];
  for (const [text, code, param] of cases) {
    const failure = messageLine(bytes(text), 7);
    if (!(failure instanceof Failure)) throw new Error(`${text.slice(0, 100)} was accepted`);
    expect({ text, code: failure.code, param: failure.details.param }).toEqual({ text, code, param } as never);
  }
});

const MESSAGE = '{"id":"msg_1","content":[{"type":"tool_use","input":{"n":1.0}}]}';
const REFUSED = '{"type":"error","error":{"type":"invalid_request_error","message":"no"},"request_id":"r"}';
const output = (id: string, status: number, body: string) =>
  `{"id":"batch_req_1","custom_id":"${id}","response":{"status_code":${status},"request_id":"r","body":${body}},"error":null}`;
test('each outcome of a line becomes a result', async () => {
  const error = (type: string, message: string, request_id: string | null) => ({
    type: 'errored',
    error: { type: 'error', error: { type, message }, request_id },
  });
  expect(messageResult(output('a', 200, MESSAGE))).toBe(
    `{"custom_id":"a","result":{"type":"succeeded","message":${MESSAGE}}}\n`,
  );
  expect(messageResult(output('b', 400, REFUSED))).toBe(
    `{"custom_id":"b","result":{"type":"errored","error":${REFUSED}}}\n`,
  );
  const result = (line: string | null) => JSON.parse(line ?? '').result;
  expect(result(messageResult(output('c', 500, '"x"')))).toEqual(error('api_error', 'The request failed.', 'r'));
  expect(result(messageResult(output('c', 400, '{"error":{"message":"why"}}')))).toEqual(
    error('invalid_request_error', 'why', 'r'),
  );
  expect(result(unrunResult('d', 'expired'))).toEqual({ type: 'expired' });
  expect(result(unrunResult('e', 'cancelled'))).toEqual({ type: 'canceled' });
  expect(messageResult('{"x":1}')).toBeNull();
  expect(messageResult('{')).toBeNull();
});

test('a result whose request was deleted cuts the stream', async () => {
  const result = { number: 1, offset: 0, bytes: 10, outcome: 'expired', json: null, costNanoUsd: 0n } as const;
  const results = new MessageResults(
    {
      batches: { results: async () => [{ ...result, usage: NO_BATCH_USAGE }] },
      files: { chunk: async () => null },
    },
    { id: 'msgbatch_1', inputFileId: 'file-1' },
  );
  expect(await results.next()).toBeInstanceOf(Failure);
});
