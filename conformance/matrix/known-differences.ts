import type { ClientFormat } from '../readers/index.ts';

export interface KnownDifference {
  /** The recording's path in the recordings folder. */
  readonly file: string;
  /** The client formats in which it differs; all by default. */
  readonly formats?: readonly ClientFormat[];
  /** The beginnings of the known problems; any other problem of the exchange still fails. */
  readonly problems: readonly string[];
  /** A reason that is acceptable to users. */
  readonly reason: string;
}

/** A known difference that no longer occurs fails the whole run, because it could hide a new problem. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    file: 'anthropic/messages/194-anthropic-compaction-1.json',
    formats: ['openai-chat', 'openai-responses', 'gemini'],
    problems: ['usage.'],
    reason:
      'Anthropic reports the last iteration at the top level and bills all of them; formats without iterations get the billed total',
  },
  {
    file: 'anthropic/messages/195-anthropic-compaction-1.json',
    formats: ['openai-chat', 'openai-responses', 'gemini'],
    problems: ['usage.'],
    reason:
      'Anthropic reports the last iteration at the top level and bills all of them; formats without iterations get the billed total',
  },
  ...['186-anthropic-advisor-20250301-1', '187-anthropic-advisor-20260301-1'].map((name) => ({
    file: `anthropic/messages/${name}.json`,
    formats: ['openai-chat', 'openai-responses', 'gemini'] as const,
    problems: ['usage.'],
    reason:
      'Anthropic counts advisor tokens only in iterations, and bills them; formats without iterations get them in the totals',
  })),
  {
    file: 'gemini/generateContent/207-tts-flash-1-1.json',
    formats: ['anthropic-messages'],
    problems: ['candidates[0].text'],
    reason: 'a Messages response holds only text, so a note says that there was audio',
  },
  {
    file: 'gemini/generateContent/207-tts-flash-1-1.json',
    formats: ['gemini'],
    problems: ['candidates[0].finish', 'candidates[0].rawFinish', 'usage: expected null'],
    reason:
      'the recorded response has neither a finish reason, which every client needs, nor usage, which the gateway counts',
  },
  {
    file: 'ollama/chat/018-ollama-llama3-chat.json',
    problems: ['usage.input'],
    reason: 'no prompt has 0 tokens, so the client gets the number that the gateway counted and charges',
  },
  {
    file: 'openai/chat/166-chat-completion-image-input.json',
    formats: ['openai-responses', 'anthropic-messages', 'gemini'],
    problems: ['candidates[0].finish'],
    reason:
      'a 2023 preview has `finish_details` in place of `finish_reason`; the gateway reads them, the direct reading does not',
  },
  {
    file: 'openai/responses/201-openai-shell-container-1.json',
    formats: ['openai-chat', 'anthropic-messages', 'gemini'],
    problems: ['candidates[0].text'],
    reason:
      'the recorder shortened the text in the deltas but not in the finished item, so the recording contradicts itself',
  },
];

/** Returns the known difference that covers a problem of an exchange. */
export function knownDifference(file: string, format: ClientFormat, problem: string): KnownDifference | undefined {
  return KNOWN_DIFFERENCES.find(
    (one) =>
      one.file === file &&
      (one.formats?.includes(format) ?? true) &&
      one.problems.some((start) => problem.startsWith(start)),
  );
}
