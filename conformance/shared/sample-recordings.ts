import { ownExchanges, type Recording, readRecording } from './recordings.ts';

/** Returns a non-streamed OpenAI chat response, for scenarios that do not depend on its content. */
export function wholeChatSample(): Recording {
  const rows = ownExchanges().filter((row) => row.provider === 'openai' && row.api === 'chat' && row.status === 200);
  const sample = rows
    .map(readRecording)
    .find(({ stream, responseBody }) => !stream && responseBody.includes('"finish_reason"'));
  if (sample === undefined) throw new Error('there is no such OpenAI chat exchange');
  return sample;
}
