import type { ClientFormat } from '../readers/index.ts';

export interface KnownDifference {
  /** A recording's file below the recordings folder. */
  readonly file: string;
  /** Where it differs; in every client format where this is absent. */
  readonly formats?: readonly ClientFormat[];
  /** How the problems begin that are known; any other problem of the exchange still fails. */
  readonly problems: readonly string[];
  /** One that a user would accept. */
  readonly reason: string;
}

/** One that is not met any more is a failure of the whole run: it would excuse something new. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    file: 'anthropic/messages/194-anthropic-compaction-1.json',
    formats: ['openai-chat', 'openai-responses', 'gemini'],
    problems: ['usage.'],
    reason:
      'Anthropic counts the last iteration at the top and bills them all; formats without iterations get the number that is billed',
  },
  {
    file: 'anthropic/messages/195-anthropic-compaction-1.json',
    formats: ['openai-chat', 'openai-responses', 'gemini'],
    problems: ['usage.'],
    reason:
      'Anthropic counts the last iteration at the top and bills them all; formats without iterations get the number that is billed',
  },
  ...['186-anthropic-advisor-20250301-1', '187-anthropic-advisor-20260301-1'].map((name) => ({
    file: `anthropic/messages/${name}.json`,
    formats: ['openai-chat', 'openai-responses', 'gemini'] as const,
    problems: ['usage.'],
    reason:
      'Anthropic counts what an advisor was asked in iterations alone, and bills it; formats without them get it in the totals',
  })),
  {
    file: 'gemini/generateContent/207-tts-flash-1-1.json',
    formats: ['anthropic-messages'],
    problems: ['candidates[0].text'],
    reason: 'an answer of Messages holds text alone, so that there was audio is told in words',
  },
  {
    file: 'gemini/generateContent/207-tts-flash-1-1.json',
    formats: ['gemini'],
    problems: ['candidates[0].finish', 'candidates[0].rawFinish', 'usage: expected null'],
    reason:
      'the recorded answer has neither a reason for its end, which every client needs, nor usage, which is counted',
  },
  {
    file: 'ollama/chat/018-ollama-llama3-chat.json',
    problems: ['usage.input'],
    reason: 'no prompt has 0 tokens: the client is told what was counted and is charged',
  },
  {
    file: 'openai/chat/166-chat-completion-image-input.json',
    formats: ['openai-responses', 'anthropic-messages', 'gemini'],
    problems: ['candidates[0].finish'],
    reason:
      'a preview of 2023 has `finish_details` in the place of `finish_reason`; the gateway reads them, the direct reading does not',
  },
  {
    file: 'openai/responses/201-openai-shell-container-1.json',
    formats: ['openai-chat', 'anthropic-messages', 'gemini'],
    problems: ['candidates[0].text'],
    reason:
      'the recorder shortened the text in its deltas and not in the finished item, so the recording says two things',
  },
];

/** The known difference that a problem of an exchange belongs to. */
export function knownDifference(file: string, format: ClientFormat, problem: string): KnownDifference | undefined {
  return KNOWN_DIFFERENCES.find(
    (one) =>
      one.file === file &&
      (one.formats?.includes(format) ?? true) &&
      one.problems.some((start) => problem.startsWith(start)),
  );
}
