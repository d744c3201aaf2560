import { describe, expect, test } from 'bun:test';
import { serverSentEvents } from '../readers/server-sent-events.ts';
import { type Recording, type RecordingRow, readRecording } from '../shared/recordings.ts';
import { judgeChatStream, judgeGeminiStream } from './chunk-streams.ts';
import { judgeMessagesStream } from './messages-stream.ts';
import { judgeResponsesStream } from './responses-stream.ts';
import type { StreamEvent } from './stream-event.ts';
import { UNFAITHFUL_RECORDINGS, UNFAITHFUL_STREAMS } from './unfaithful-recordings.ts';

const JUDGES = [
  { folder: 'openai/chat', judge: judgeChatStream },
  { folder: 'openai/responses', judge: judgeResponsesStream },
  { folder: 'anthropic/messages', judge: judgeMessagesStream },
  { folder: 'gemini/generateContent', judge: judgeGeminiStream },
];

/** The streams of a provider's API that are what its service sends. */
export function streamsOf(exchanges: readonly RecordingRow[], folder: string): readonly Recording[] {
  return (
    exchanges
      .filter((row) => `${row.provider}/${row.api}` === folder && row.status === 200 && row.stream)
      .filter((row) => !UNFAITHFUL_RECORDINGS.has(row.file) && !UNFAITHFUL_STREAMS.has(row.file))
      // What broke off with an error is judged below.
      .filter((row) => !row.tags?.includes('error'))
      .map(readRecording)
  );
}

/** Defines the tests that every stream among the exchanges keeps the rules of its format, and none does that lost an event. */
export function testKeptRules(exchanges: readonly RecordingRow[]): void {
  describe('streams keep the rules of their format', () => {
    test.each(JUDGES)('$folder', ({ folder, judge }) => {
      const streams = streamsOf(exchanges, folder);
      expect(streams.length).toBeGreaterThan(0);
      const problems = streams.flatMap((one) =>
        judge(serverSentEvents(one.responseBody)).map((problem) => `${one.file}: ${problem}`),
      );
      expect(problems).toEqual([]);
    });

    test.each(JUDGES)(
      '$folder: a stream that lost any one of its events but a ping or a piece of text does not',
      ({ folder, judge }) => {
        const events = serverSentEvents(longestOf(streamsOf(exchanges, folder)).responseBody);
        const kept = [...events.keys()].filter((index) => {
          const lost = events.filter((_, other) => other !== index);
          return judge(lost).length === 0;
        });
        const mayBeLost = (event: StreamEvent | undefined): boolean => !STRUCTURE[folder]?.test(event?.data ?? '');
        expect(kept.filter((index) => !mayBeLost(events[index])).map((index) => events[index]?.data)).toEqual([]);
      },
    );
  });
}

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
