import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ChatCase, chatCases } from './openai-chat/chat-case.ts';
import { relayChat, testRelayedBytes } from './openai-chat/chat-relay.ts';
import { startChatBed } from './openai-chat/conformance-run.ts';
import {
  asksUpstreamForUsage,
  comparableAnswer,
  comparableRequest,
  expectedAnswer,
  firstByteDifference,
} from './openai-chat/relayed-bytes.ts';
import { withValue } from './shared/json-text.ts';
import { ownExchanges } from './shared/recordings.ts';
import type { TestBed } from './shared/test-bed.ts';

const cases = chatCases(ownExchanges()).filter((one) => one.succeeds);

/** A short response and a short stream, which answer the invented requests. */
const wholeCase = cases.find((one) => one.recording.file.startsWith('openai/') && !one.recording.stream);
const usageStreamCase = cases.find((one) => one.recording.file.startsWith('openai/') && one.hasUsageChunk);

/** Invented fields at every depth, unusual white space, order, numbers and escapes; `MODEL` and `EXTRA` are replaced. */
const ODD_BODY = `\t{ "zz_first" : { "model":"not this one", "deep":[ [ ],{ }, {"b":1.0,"a":1e2} , null ] },
  "messages" :[ {"x_before":12345678901234567890,"content":"h\\u00e9llo \\ud83d\\ude00 \\/ \\"model\\": \\"nor this\\" é 😀","role":"user" ,
  "x_meta":{"model":"neither", "z":-0, "y":1E+5, "x":0.1000} }, {"role":"user","content":[{"text":"a\\tb","type":"text","x_mark":{"k":[1.50]}}]}],\r
  "model"  :\tMODEL , "temperature":1.0,"x_twice":1, "x_twice" : 2,
  "tools":[{"type":"function","x_tool":true,"function":{"name":"f","x_f":1.0,"parameters":{"type":"object","properties":{"p":{"type":"number","x_p":1e0}}}}}],
  "a_last":[1,2 , 3 ]EXTRA }\n`;

function oddBody(modelText: string, extra = ''): string {
  return ODD_BODY.replace('MODEL', () => modelText).replace('EXTRA', () => extra);
}

describe('a relayed chat', () => {
  let bed: TestBed;

  beforeAll(async () => {
    bed = await startChatBed(cases);
  });

  afterAll(() => bed?.stop());

  const relay = (body: string) => relayChat(bed, body);

  async function expectUpstreamBytes(one: ChatCase | undefined, modelText: string, extra = '') {
    if (one === undefined) throw new Error('there is no such exchange');
    const body = oddBody(modelText, extra);
    const { status, answer, sent } = await relay(body);
    expect({ status, refusal: status === 200 ? '' : answer }).toEqual({ status: 200, refusal: '' });
    const request = comparableRequest(body, sent, one.recording.id);
    expect(firstByteDifference(request.expected, request.sent)).toBeUndefined();
    return { answer, sent };
  }

  const publicId = () => JSON.stringify(wholeCase?.publicId);

  test('reaches the upstream byte for byte except for the model', async () => {
    await expectUpstreamBytes(wholeCase, publicId());
  });

  test('has its model replaced if the id is written with escapes', async () => {
    await expectUpstreamBytes(wholeCase, publicId().replace('public-', 'publ\\u0069c\\u002d'));
  });

  test('has its model replaced if the key is written with escapes', async () => {
    if (wholeCase === undefined) throw new Error('there is no such exchange');
    const body = oddBody(publicId()).replace('"model"  :', '"mod\\u0065l"  :');
    const { status, sent } = await relay(body);
    expect(status).toBe(200);
    expect(sent).toBe(withValue(body, 'model', JSON.stringify(wholeCase.recording.id)));
  });

  test('with a leading byte order mark is answered or refused without damage', async () => {
    const { status } = await relay(`\ufeff${oddBody(publicId())}`);
    expect([200, 400]).toContain(status);
  });

  const streamId = () => JSON.stringify(usageStreamCase?.publicId);

  for (const [what, extra] of [
    ['gets only the usage flag added', ',"stream":true'],
    [
      'gets the usage flag added beside invented stream options',
      ',"stream":true,"stream_options":{ "x_invented" : 1.0 }',
    ],
    ['gets the usage flag instead of null options', ',"stream_options": null,"stream":true'],
    ['gets a disabled usage flag turned on', ',"stream":true, "stream_options" : {"include_usage" :false ,"x":[]}'],
  ] as const) {
    test(`in a stream ${what}, and the usage stays hidden`, async () => {
      const { answer, sent } = await expectUpstreamBytes(usageStreamCase, streamId(), extra);
      expect(asksUpstreamForUsage(sent)).toBe(true);
      const expected = expectedAnswer(usageStreamCase?.recording.responseBody ?? '', true, false);
      expect(firstByteDifference(expected, comparableAnswer(answer, true))).toBeUndefined();
    });
  }

  test('in a stream that asks for usage is not changed, and shows the usage', async () => {
    const extra = ',"stream":true,"stream_options":{"include_usage":true}';
    const { answer } = await expectUpstreamBytes(usageStreamCase, streamId(), extra);
    const expected = expectedAnswer(usageStreamCase?.recording.responseBody ?? '', true, true);
    expect(firstByteDifference(expected, comparableAnswer(answer, true))).toBeUndefined();
  });
});

testRelayedBytes(ownExchanges());
