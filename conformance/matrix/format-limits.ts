import type { Candidate, ClientFormat, ExpectedAnswer, Usage } from '../readers/index.ts';

/** A limit of a client format, and how an answer reads in the format because of it. */
export interface FormatLimit {
  readonly formats: readonly ClientFormat[];
  readonly reason: string;
  readonly apply: (answer: ExpectedAnswer) => ExpectedAnswer;
}

/**
 * The limits follow from the formats' published documents, not from what the gateway happens to do. They hold for translated
 * answers only: a relayed one says what the provider said.
 */
export const FORMAT_LIMITS: readonly FormatLimit[] = [
  {
    formats: ['anthropic-messages'],
    reason: 'a refusal is said by the reason for the end, `refusal`',
    apply: eachCandidate((one) =>
      one.refusal !== '' && one.finish === 'stop' ? { ...one, finish: 'content-filter' } : one,
    ),
  },
  {
    formats: ['openai-responses', 'anthropic-messages'],
    reason: 'an answer of this format is one answer; the client could not ask for more, and the first one is given',
    apply: ({ candidates, usage }) => ({ candidates: candidates.slice(0, 1), usage }),
  },
  {
    formats: ['anthropic-messages', 'gemini'],
    reason: 'there is no part for a refusal: its words are the text',
    apply: eachCandidate((one) => ({ ...one, text: one.text + one.refusal, refusal: '' })),
  },
  {
    formats: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    reason: 'there is no word for an end of another kind, or without a reason',
    apply: finishAs({ other: 'stop' }),
  },
  {
    formats: ['openai-chat', 'openai-responses', 'gemini'],
    reason: 'there is no word for a pause, after which the client asks to go on: the answer is complete as it is',
    apply: finishAs({ pause: 'stop' }),
  },
  {
    formats: ['openai-responses', 'gemini'],
    reason: 'tool calls have no word of their own: they are there or not',
    apply: eachCandidate((one) =>
      one.finish === 'tool-calls' && one.toolCalls.length === 0 ? { ...one, finish: 'stop' } : one,
    ),
  },
  {
    formats: ['gemini'],
    reason: 'what was written to the cache is not counted apart: it is a part of the prompt',
    apply: withUsage((usage) => ({ ...usage, input: usage.input + usage.cacheWrite, cacheWrite: 0 })),
  },
];

/** Returns the answer as the client's format can express it. */
export function asFormatSays(format: ClientFormat, answer: ExpectedAnswer): ExpectedAnswer {
  return FORMAT_LIMITS.filter(({ formats }) => formats.includes(format)).reduce(
    (said, { apply }) => apply(said),
    answer,
  );
}

function eachCandidate(change: (one: Candidate) => Candidate): FormatLimit['apply'] {
  return ({ candidates, usage }) => ({ candidates: candidates.map(change), usage });
}

function finishAs(words: Readonly<Partial<Record<Candidate['finish'], Candidate['finish']>>>): FormatLimit['apply'] {
  return eachCandidate((one) => {
    const finish = words[one.finish] ?? one.finish;
    return { ...one, finish: finish === 'stop' && one.toolCalls.length > 0 ? 'tool-calls' : finish };
  });
}

function withUsage(change: (usage: Usage) => Usage): FormatLimit['apply'] {
  return ({ candidates, usage }) => ({ candidates, usage: usage === null ? null : change(usage) });
}
