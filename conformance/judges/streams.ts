import { parseJson } from '../shared/json.ts';
import { judgeChatStream, judgeGeminiStream } from './chunk-streams.ts';
import { type Format, judgeStreamEvent, type Origin } from './judge.ts';
import { judgeMessagesStream } from './messages-stream.ts';
import { judgeResponsesStream } from './responses-stream.ts';
import type { StreamEvent } from './stream-event.ts';

const WHOLE_STREAM_JUDGES: Readonly<Record<Format, (events: readonly StreamEvent[]) => readonly string[]>> = {
  'openai-chat': judgeChatStream,
  'openai-responses': judgeResponsesStream,
  'anthropic-messages': judgeMessagesStream,
  gemini: judgeGeminiStream,
};

/** Returns the problems with a stream, as a whole and in each of its events. */
export function judgeStream(
  format: Format,
  events: readonly StreamEvent[],
  origin: Origin = 'relayed',
): readonly string[] {
  const inEvents = events.flatMap(({ data }, index) =>
    data === '[DONE]'
      ? []
      : judgeStreamEvent(format, parseJson(data), origin).map((problem) => `event ${index}: ${problem}`),
  );
  return [...WHOLE_STREAM_JUDGES[format](events), ...inEvents];
}
