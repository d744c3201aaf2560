import type { Candidate, ClientFormat, ExpectedAnswer, Usage } from '../readers/index.ts';

/** A limit of a client format, and its effect on a response. */
export interface FormatLimit {
  readonly formats: readonly ClientFormat[];
  readonly reason: string;
  readonly apply: (answer: ExpectedAnswer) => ExpectedAnswer;
}

/**
 * The limits follow from the formats' published documents, not from the gateway's behavior. They only apply to
 * translated responses; relayed ones have the provider's content.
 */
export const FORMAT_LIMITS: readonly FormatLimit[] = [
  {
    formats: ['anthropic-messages'],
    reason: 'a refusal is expressed by the finish reason `refusal`',
    apply: eachCandidate((one) =>
      one.refusal !== '' && one.finish === 'stop' ? { ...one, finish: 'content-filter' } : one,
    ),
  },
  {
    formats: ['openai-responses', 'anthropic-messages'],
    reason: 'a response in this format has one candidate, so the client gets the first one',
    apply: ({ candidates, usage }) => ({ candidates: candidates.slice(0, 1), usage }),
  },
  {
    formats: ['anthropic-messages', 'gemini'],
    reason: 'there is no part for a refusal, so its text is the response text',
    apply: eachCandidate((one) => ({ ...one, text: one.text + one.refusal, refusal: '' })),
  },
  {
    formats: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    reason: 'the format has no finish reason for other or unknown causes',
    apply: finishAs({ other: 'stop' }),
  },
  {
    formats: ['openai-chat', 'openai-responses', 'gemini'],
    reason: 'the format has no finish reason for a pause, so the response reads as complete',
    apply: finishAs({ pause: 'stop' }),
  },
  {
    formats: ['openai-responses', 'gemini'],
    reason: 'the format has no finish reason for tool calls; only their presence shows them',
    apply: eachCandidate((one) =>
      one.finish === 'tool-calls' && one.toolCalls.length === 0 ? { ...one, finish: 'stop' } : one,
    ),
  },
  {
    formats: ['gemini'],
    reason: 'cache writes are not counted separately, but as part of the prompt',
    apply: withUsage((usage) => ({ ...usage, input: usage.input + usage.cacheWrite, cacheWrite: 0 })),
  },
];

/** Returns the response as the client's format can express it. */
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
