import type { Candidate, ClientFormat, ExpectedAnswer } from '../readers/index.ts';
import { deepDifferences, describeDifferences } from '../shared/deep-difference.ts';
import { isObject } from '../shared/json.ts';
import type { MatrixCase } from './cases.ts';
import { asFormatSays } from './format-limits.ts';
import type { Reading } from './sdks/index.ts';

export type Lane = 'relayed' | 'translated';

/** Returns the differences between the provider's response and what an SDK's user sees. */
export function readingDifferences(
  one: MatrixCase,
  expected: ExpectedAnswer,
  format: ClientFormat,
  lane: Lane,
  actual: Reading,
): readonly string[] {
  const said = lane === 'relayed' ? expected : asFormatSays(format, expected);
  const read = lane === 'relayed' ? actual : withOtherArguments(format, said, actual);
  const isParted = format === 'openai-responses' || one.kind === 'responses';
  const differences = deepDifferences(comparable(said, lane, isParted), comparable(read, lane, isParted)).filter(
    // If the provider reports no usage, the gateway estimates it, so there is nothing to compare.
    ({ path }) => said.usage !== null || !path.startsWith('usage'),
  );
  const own = lane === 'relayed' ? [] : [...callIdProblems(actual), ...totalProblems(actual)];
  return [...describeDifferences(differences), ...own];
}

/** Each call needs a unique id, under which its result is sent back. */
function callIdProblems({ callIds }: Reading): readonly string[] {
  const isSound =
    callIds.every((id) => typeof id === 'string' && id !== '') && new Set(callIds).size === callIds.length;
  return isSound ? [] : [`the calls' ids are ${JSON.stringify(callIds)}`];
}

function totalProblems({ usage, totalTokens }: Reading): readonly string[] {
  if (usage === null || totalTokens === null) return [];
  const sum = Object.values(usage).reduce((total, count) => total + count, 0);
  return sum === totalTokens ? [] : [`usage: the total is ${totalTokens}, its parts are ${sum}`];
}

/** In these formats a call's arguments are an object. */
const OBJECT_ARGUMENTS: ReadonlySet<ClientFormat> = new Set(['anthropic-messages', 'gemini']);

/**
 * Text arguments (a custom tool's input, truncated JSON) become a member of such an object. In a stream with truncated
 * JSON, Anthropic's SDK reads the complete members. Missing arguments, which models also write as `null`, are an empty
 * object.
 */
function withOtherArguments(format: ClientFormat, said: ExpectedAnswer, actual: ExpectedAnswer): ExpectedAnswer {
  if (!OBJECT_ARGUMENTS.has(format)) return actual;
  const candidates = actual.candidates.map((one, index) => ({
    ...one,
    toolCalls: one.toolCalls.map((call, position) => {
      const other = said.candidates[index]?.toolCalls[position]?.arguments;
      return carries(call.arguments, other) ? { ...call, arguments: other } : call;
    }),
  }));
  return { ...actual, candidates };
}

function carries(value: unknown, other: unknown): boolean {
  if (!isObject(value)) return false;
  const members = Object.values(value);
  if (other === '' || other === null) return members.length === 0;
  if (typeof other !== 'string') return false;
  const isCutJson = other.startsWith('{');
  return members.includes(other) || (isCutJson && members.every((one) => other.includes(JSON.stringify(one))));
}

/**
 * The provider's raw finish reason is not translated. Responses has reasoning in parts, mostly summaries; formats with
 * a single text separate them by a blank line.
 */
function comparable({ candidates, usage }: ExpectedAnswer, lane: Lane, isParted: boolean): unknown {
  return { candidates: candidates.map((one) => (lane === 'relayed' ? one : translated(one, isParted))), usage };
}

function translated({ text, reasoning, refusal, toolCalls, finish }: Candidate, isParted: boolean): unknown {
  return { text, reasoning: isParted ? reasoning.replaceAll('\n\n', '') : reasoning, refusal, toolCalls, finish };
}
