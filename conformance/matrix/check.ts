import type { ExpectedAnswer } from '../readers/index.ts';
import { deepDifferences, describeDifferences } from '../shared/deep-difference.ts';
import type { MatrixCase } from './cases.ts';
import { type Lane, readingDifferences } from './compare.ts';
import { failureProblems } from './failure-rules.ts';
import { type KnownDifference, knownDifference } from './known-differences.ts';
import { type Driver, drive, type Outcome, type Reading, type Target } from './sdks/index.ts';
import { wireProblems } from './wire-rules.ts';

/** The two sources of a recorded response. */
export interface Places {
  readonly gateway: Omit<Target, 'model'>;
  /** The replay server itself, which every SDK of the recorded format can use. */
  readonly replay: Omit<Target, 'model'>;
}

export interface Verdict {
  readonly one: MatrixCase;
  readonly driver: Driver;
  /** Empty if the exchange passes. */
  readonly problems: readonly string[];
  /** The known differences that occurred in the exchange. */
  readonly known: readonly KnownDifference[];
  readonly elapsedMs: number;
}

/** Replays one recording through the gateway to one SDK; resolves to the problems of the result. */
export async function checkExchange(one: MatrixCase, driver: Driver, places: Places): Promise<Verdict> {
  const started = performance.now();
  const problems = await problemsOf(one, driver, places);
  const judged = problems.map((problem) => ({
    problem,
    known: knownDifference(one.recording.file, driver.format, problem),
  }));
  return {
    one,
    driver,
    problems: judged.filter(({ known }) => known === undefined).map(({ problem }) => problem),
    known: [...new Set(judged.flatMap(({ known }) => known ?? []))],
    elapsedMs: performance.now() - started,
  };
}

export function laneOf(one: MatrixCase, driver: Driver): Lane {
  return one.upstream.format === driver.format ? 'relayed' : 'translated';
}

async function problemsOf(one: MatrixCase, driver: Driver, places: Places): Promise<readonly string[]> {
  const lane = laneOf(one, driver);
  const outcome = await run(one, driver, lane, { ...places.gateway, model: one.publicId });
  if (outcome.timedOut) return ['hangs: did not end within the limit'];
  const { wire } = outcome;
  if (wire === null) return [`no answer: ${outcome.error?.message}`];
  const onWire = wireProblems(one, driver.format, lane, wire);
  if (one.outcome !== 'answer') return [...failureProblems(one, outcome, driver.format), ...onWire];
  const read = answerDifferences(one, driver, lane, outcome);
  if (read.length === 0 || lane === 'translated') return [...read, ...onWire];
  return [...(await differencesToDirect(one, driver, outcome, places, read)), ...onWire];
}

function run(one: MatrixCase, driver: Driver, lane: Lane, target: Target): Promise<Outcome> {
  return drive(driver, {
    target,
    form: one.form,
    withTools: one.upstream.withoutTools !== true,
    dialect: lane === 'relayed' ? one.recording.provider : '',
  });
}

function answerDifferences(
  one: MatrixCase,
  driver: Driver,
  lane: Lane,
  { reading, error, wire }: Outcome,
): readonly string[] {
  if (one.expected === null) return ['there is nothing to compare with'];
  if (reading === null) {
    const said = wire !== null && wire.status !== 200 ? `: status ${wire.status}: ${wire.body.slice(0, 400)}` : '';
    return [`the SDK raised ${error?.name}: ${error?.message.slice(0, 300)}${said}`];
  }
  const problems = readingDifferences(one, one.expected, driver.format, lane, reading);
  return reading.model === one.publicId ? problems : [...problems, `model: the answer names ${reading.model}`];
}

/**
 * An SDK may refuse or misread what its own provider sends (an unknown event, a stream of another vendor). It must then
 * do the same with the gateway's response.
 */
async function differencesToDirect(
  one: MatrixCase,
  driver: Driver,
  through: Outcome,
  places: Places,
  differences: readonly string[],
): Promise<readonly string[]> {
  const direct = await run(one, driver, 'relayed', { ...places.replay, model: one.recording.id });
  if (direct.reading === null || through.reading === null) {
    const same = direct.error !== null && direct.error.name === through.error?.name;
    return same && through.wire?.status === 200 ? [] : differences;
  }
  const { model } = through.reading;
  const found = describeDifferences(deepDifferences(said(direct.reading), said(through.reading)));
  return model === one.publicId || model === null ? found : [...found, `model: the answer names ${model}`];
}

function said({ candidates, usage }: Reading): ExpectedAnswer {
  return { candidates, usage };
}

export function failed({ problems }: Verdict): boolean {
  return problems.length > 0;
}

export function describeVerdict({ one, driver, problems }: Verdict): string {
  const form = one.form === one.recordedForm ? one.form : 'stream of a complete response';
  return [
    `${one.recording.file} (${one.recording.id}, ${driver.format}, ${form})`,
    ...problems.map((line) => `    ${line}`),
  ].join('\n');
}
