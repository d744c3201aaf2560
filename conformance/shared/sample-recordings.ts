import { ownExchanges, type Recording, readRecording } from './recordings.ts';

/** An OpenAI chat answer that is not streamed, for scenarios in which its content does not matter. */
export function wholeChatSample(): Recording {
  const rows = ownExchanges().filter((row) => row.provider === 'openai' && row.api === 'chat' && row.status === 200);
  const sample = rows
    .map(readRecording)
    .find(({ stream, responseBody }) => !stream && responseBody.includes('"finish_reason"'));
  if (sample === undefined) throw new Error('there is no such OpenAI chat exchange');
  return sample;
}
