import { describe, expect, test } from 'bun:test';
import { serverSentEvents } from '../readers/server-sent-events.ts';
import { type Recording, readRecording, recordingRows, recordingsMissing } from '../shared/recordings.ts';
import { judgeChatStream, judgeGeminiStream } from './chunk-streams.ts';
import { documentsMissing } from './documents.ts';
import { judgeMessagesStream } from './messages-stream.ts';
import { judgeResponsesStream } from './responses-stream.ts';
import type { StreamEvent } from './stream-event.ts';
import { judgeStream } from './streams.ts';
import { UNFAITHFUL_RECORDINGS, UNFAITHFUL_STREAMS } from './unfaithful-recordings.ts';

const JUDGES = [
  { folder: 'openai/chat', judge: judgeChatStream },
  { folder: 'openai/responses', judge: judgeResponsesStream },
  { folder: 'anthropic/messages', judge: judgeMessagesStream },
  { folder: 'gemini/generateContent', judge: judgeGeminiStream },
];

const missing = recordingsMissing();
if (missing !== undefined) test.skip(`judges of whole streams over recordings (${missing})`, () => undefined);

function streamsOf(folder: string): readonly Recording[] {
  return (
    recordingRows()
      .filter((row) => `${row.provider}/${row.api}` === folder && row.status === 200 && row.stream)
      .filter((row) => !UNFAITHFUL_RECORDINGS.has(row.file) && !UNFAITHFUL_STREAMS.has(row.file))
      // What broke off with an error is judged below.
      .filter((row) => !row.tags?.includes('error'))
      .map(readRecording)
  );
}

describe.skipIf(missing !== undefined)('recorded streams keep the rules of their format', () => {
  test.each(JUDGES)('$folder', ({ folder, judge }) => {
    const streams = streamsOf(folder);
    expect(streams.length).toBeGreaterThan(20);
    const problems = streams.flatMap((one) =>
      judge(serverSentEvents(one.responseBody)).map((problem) => `${one.file}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  test.each(JUDGES)(
    '$folder: a stream that lost any one of its events but a ping or a piece of text does not',
    ({ folder, judge }) => {
      const events = serverSentEvents(longestOf(streamsOf(folder)).responseBody);
      const kept = [...events.keys()].filter((index) => {
        const lost = events.filter((_, other) => other !== index);
        return judge(lost).length === 0;
      });
      const mayBeLost = (event: StreamEvent | undefined): boolean => !STRUCTURE[folder]?.test(event?.data ?? '');
      expect(kept.filter((index) => !mayBeLost(events[index])).map((index) => events[index]?.data)).toEqual([]);
    },
  );
});

/** The events that hold the stream together, by their data. */
const STRUCTURE: Readonly<Record<string, RegExp>> = {
  'openai/chat': /\[DONE\]|"finish_reason":"/,
  'openai/responses': /./,
  'anthropic/messages': /"type":"(message_start|content_block_start|content_block_stop|message_delta|message_stop)"/,
  'gemini/generateContent': /"finishReason"/,
};

function longestOf(recordings: readonly Recording[]): Recording {
  const [first, ...others] = recordings;
  if (first === undefined) throw new Error('there are no such recordings');
  // Long enough to have every kind of event, short enough to be judged once for each of its events.
  const fitting = others.filter((one) => one.responseBody.length < 30_000);
  return fitting.reduce(
    (longest, one) => (one.responseBody.length > longest.responseBody.length ? one : longest),
    first,
  );
}

describe.skipIf(missing !== undefined)('the lists of exceptions', () => {
  test('name recordings that are there', () => {
    const files = new Set(recordingRows().map(({ file }) => file));
    const named = [...UNFAITHFUL_RECORDINGS.keys(), ...UNFAITHFUL_STREAMS.keys()];
    expect(named.filter((file) => !files.has(file))).toEqual([]);
  });
});

describe.skipIf(missing !== undefined || documentsMissing() !== undefined)('a stream and its events together', () => {
  test('a recorded stream', () => {
    const stream = streamsOf('anthropic/messages').find(({ responseBody }) => responseBody.includes('"text_delta"'));
    const recorded = serverSentEvents(stream?.responseBody ?? '');
    expect(judgeStream('anthropic-messages', recorded)).toEqual([]);
    const changed = recorded.map((event) => ({ ...event, data: event.data.replace('"text_delta"', '"text"') }));
    expect(judgeStream('anthropic-messages', changed).join()).toContain('/delta/type: is "text"');
  });
});

function events(...data: readonly unknown[]): readonly StreamEvent[] {
  return data.map((one) => ({ event: (one as { type?: string }).type ?? null, data: JSON.stringify(one) }));
}

describe('a broken Responses stream is told where', () => {
  const response = (status: string, output: readonly unknown[]) => ({ id: 'r', object: 'response', status, output });
  const item = {
    type: 'message',
    id: 'm',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Hi' }],
  };
  const place = { output_index: 0, item_id: 'm', content_index: 0 };
  const whole = [
    { type: 'response.created', response: response('in_progress', []) },
    { type: 'response.in_progress', response: response('in_progress', []) },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '' } },
    { type: 'response.output_text.delta', ...place, delta: 'H' },
    { type: 'response.output_text.delta', ...place, delta: 'i' },
    { type: 'response.output_text.done', ...place, text: 'Hi' },
    { type: 'response.content_part.done', ...place, part: { type: 'output_text', text: 'Hi' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: response('completed', [item]) },
  ];
  const numbered = (list: readonly object[]) =>
    events(...list.map((one, index) => ({ sequence_number: index, ...one })));
  const changed = (index: number, change: object) =>
    numbered(whole.map((one, other) => (other === index ? { ...one, ...change } : one)));

  test('a whole one is not', () => {
    expect(judgeResponsesStream(numbered(whole))).toEqual([]);
    expect(judgeResponsesStream([...numbered(whole), { event: null, data: '[DONE]' }])).toEqual([]);
  });

  test('a gap in the sequence numbers', () => {
    expect(judgeResponsesStream(changed(4, { sequence_number: 9 }))).toEqual([
      'event 4 (response.output_text.delta): has the sequence number 9',
    ]);
  });

  test('another item id', () => {
    expect(judgeResponsesStream(changed(5, { item_id: 'other' }))).toContain(
      'event 5 (response.output_text.delta): has the item id other, not m',
    );
  });

  test('a done text that is not its pieces', () => {
    expect(judgeResponsesStream(changed(6, { text: 'Ho' }))).toEqual([
      'event 6 (response.output_text.done): has a text that is not its pieces put together',
    ]);
  });

  test('a final output that is not what was done', () => {
    expect(judgeResponsesStream(changed(9, { response: response('completed', []) }))).toEqual([
      'event 9 (response.completed): has an output that is not the items that were done',
    ]);
  });
});
