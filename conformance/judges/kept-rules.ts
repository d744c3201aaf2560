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

/** Returns the streams of a provider's API that its service really sends. */
export function streamsOf(exchanges: readonly RecordingRow[], folder: string): readonly Recording[] {
  return (
    exchanges
      .filter((row) => `${row.provider}/${row.api}` === folder && row.status === 200 && row.stream)
      .filter((row) => !UNFAITHFUL_RECORDINGS.has(row.file) && !UNFAITHFUL_STREAMS.has(row.file))
      // Streams that break off with an error are judged below.
      .filter((row) => !row.tags?.includes('error'))
      .map(readRecording)
  );
}

/** Defines the tests that every stream among the exchanges follows the rules of its format, and that no stream does after losing an event. */
export function testKeptRules(exchanges: readonly RecordingRow[]): void {
  describe('streams follow the rules of their format', () => {
    test.each(JUDGES)('$folder', ({ folder, judge }) => {
      const streams = streamsOf(exchanges, folder);
      expect(streams.length).toBeGreaterThan(0);
      const problems = streams.flatMap((one) =>
        judge(serverSentEvents(one.responseBody)).map((problem) => `${one.file}: ${problem}`),
      );
      expect(problems).toEqual([]);
    });

    test.each(JUDGES)('$folder: losing an event other than a ping or a text delta breaks them', ({ folder, judge }) => {
      const events = serverSentEvents(longestOf(streamsOf(exchanges, folder)).responseBody);
      const kept = [...events.keys()].filter((index) => {
        const lost = events.filter((_, other) => other !== index);
        return judge(lost).length === 0;
      });
      const mayBeLost = (event: StreamEvent | undefined): boolean => !STRUCTURE[folder]?.test(event?.data ?? '');
      expect(kept.filter((index) => !mayBeLost(events[index])).map((index) => events[index]?.data)).toEqual([]);
    });
  });
}

/** Matches the data of the events that give the stream its structure. */
const STRUCTURE: Readonly<Record<string, RegExp>> = {
  'openai/chat': /\[DONE\]|"finish_reason":"/,
  'openai/responses': /./,
  'anthropic/messages': /"type":"(message_start|content_block_start|content_block_stop|message_delta|message_stop)"/,
  'gemini/generateContent': /"finishReason"/,
};

function longestOf(recordings: readonly Recording[]): Recording {
  const [first, ...others] = recordings;
  if (first === undefined) throw new Error('there are no such recordings');
  // Long enough for every kind of event, short enough to be judged once per event.
  const fitting = others.filter((one) => one.responseBody.length < 30_000);
  return fitting.reduce(
    (longest, one) => (one.responseBody.length > longest.responseBody.length ? one : longest),
    first,
  );
}
