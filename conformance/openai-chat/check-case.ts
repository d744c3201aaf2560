import { deepDifferences, describeDifferences } from '../shared/deep-difference.ts';
import { runAiSdk } from './ai-sdk.ts';
import { answerProblems } from './answer-rules.ts';
import type { ChatCase } from './chat-case.ts';
import { errorAnswerProblems, thrownErrorProblems } from './error-rules.ts';
import { knownDifferences } from './known-differences.ts';
import { runOpenAiSdk } from './openai-sdk.ts';
import type { Outcome } from './outcome.ts';
import { expectedAnswer, withoutFilledIn } from './relayed-bytes.ts';
import { type Target, type WireAnswer, wireTap } from './target.ts';

export const SDKS = { openai: runOpenAiSdk, ai: runAiSdk } as const;
export type SdkName = keyof typeof SDKS;

export interface Verdict {
  readonly one: ChatCase;
  readonly sdk: SdkName;
  /** Empty if the case passes. */
  readonly problems: readonly string[];
  readonly knownReason?: string | undefined;
}

/** The upstream itself and the gateway, which both return the recorded response. */
export interface Targets {
  readonly direct: Target;
  readonly gateway: Target;
}

interface Run {
  readonly outcome: Outcome;
  readonly answer: WireAnswer | undefined;
}

async function run(sdk: SdkName, one: ChatCase, target: Target): Promise<Run> {
  const { responseBody, stream } = one.recording;
  const recorded = expectedAnswer(responseBody, stream, one.asksForUsage);
  // The comparison ignores the members that the gateway adds for every client (`FILLED_IN`).
  const tap = wireTap(target.kind === 'direct' ? undefined : (body) => withoutFilledIn(body, recorded, stream));
  const outcome = await SDKS[sdk](one, target, tap);
  return { outcome, answer: (await tap.answers())[0] };
}

/**
 * Ids that an SDK generates because the provider sent none differ on every run. A second direct run finds them: a
 * difference between two direct runs is not the gateway's.
 */
async function comparisonProblems(
  sdk: SdkName,
  one: ChatCase,
  targets: Targets,
  actual: Outcome,
): Promise<readonly string[]> {
  const { outcome: expected } = await run(sdk, one, targets.direct);
  const differences = deepDifferences(expected, actual);
  if (differences.length === 0) return [];
  const { outcome: again } = await run(sdk, one, targets.direct);
  const unstable = new Set(deepDifferences(expected, again).map((difference) => difference.path));
  return describeDifferences(differences.filter((difference) => !unstable.has(difference.path)));
}

async function problemsOf(sdk: SdkName, one: ChatCase, targets: Targets): Promise<readonly string[]> {
  const { outcome, answer } = await run(sdk, one, targets.gateway);
  if (answer === undefined) return [`the SDK got no answer: ${outcome.error?.message}`];
  if (!one.succeeds) return [...errorAnswerProblems(one, answer), ...thrownErrorProblems(outcome, answer)];
  if (answer.status !== 200) return [`status ${answer.status}: ${answer.body.slice(0, 300)}`];
  return [...answerProblems(one, answer), ...(await comparisonProblems(sdk, one, targets, outcome))];
}

/** Runs one recording through one SDK, directly and through the gateway, and compares the results. */
export async function checkCase(sdk: SdkName, one: ChatCase, targets: Targets): Promise<Verdict> {
  const problems = await problemsOf(sdk, one, targets);
  return { one, sdk, problems, knownReason: knownDifferences[one.recording.file] };
}

const CONCURRENT_CASES = 4;

export async function checkCases(
  sdk: SdkName,
  cases: readonly ChatCase[],
  targets: Targets,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const waiting = cases.values();
  const worker = async () => {
    for (const one of waiting) verdicts.push(await checkCase(sdk, one, targets));
  };
  await Promise.all(Array.from({ length: CONCURRENT_CASES }, worker));
  return verdicts;
}

export function failed(verdict: Verdict): boolean {
  return verdict.problems.length > 0 && verdict.knownReason === undefined;
}

export function describeVerdict({ one, sdk, problems }: Verdict): string {
  const form = one.streaming ? 'stream' : 'whole';
  return [
    `${one.recording.file} (${one.recording.id}, ${sdk}, ${form})`,
    ...problems.map((line) => `    ${line}`),
  ].join('\n');
}
