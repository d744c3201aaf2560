import type { Candidate, ClientFormat, ExpectedAnswer } from '../readers/index.ts';
import { deepDifferences, describeDifferences } from '../shared/deep-difference.ts';
import { asFormatSays } from './format-limits.ts';
import type { Reading } from './sdks/index.ts';

export type Lane = 'relayed' | 'translated';

/** What an SDK's user sees otherwise than the provider said it; empty where nothing. */
export function readingDifferences(
  format: ClientFormat,
  lane: Lane,
  expected: ExpectedAnswer,
  actual: Reading,
): readonly string[] {
  const said = lane === 'relayed' ? expected : asFormatSays(format, expected);
  const differences = deepDifferences(comparable(said, lane), comparable(actual, lane)).filter(
    // Where the provider counts nothing the gateway estimates; there is nothing to compare it with.
    ({ path }) => said.usage !== null || !path.startsWith('usage'),
  );
  return describeDifferences(differences);
}

/** The provider's own word for the end is not translated, and pieces of reasoning are joined by each format in its own way. */
function comparable({ candidates, usage }: ExpectedAnswer, lane: Lane): unknown {
  return { candidates: candidates.map((one) => (lane === 'relayed' ? one : translated(one))), usage };
}

function translated({ text, reasoning, refusal, toolCalls, finish }: Candidate): unknown {
  return { text, reasoning: reasoning.replaceAll('\n\n', ''), refusal, toolCalls, finish };
}
