import { imageTokenQuantities } from '../../domain/images/images.ts';
import { type Billable, ONE_REQUEST, type Quantity } from '../../domain/money/quantity.ts';
import type { AskedWork, JobResult } from '../../domain/tasks/job.ts';
import type { TaskKind } from '../../domain/tasks/task.ts';

/** Upstreams report 5.04 seconds for a video of five: within this tolerance, the requested length is billed. */
const TOLERANCE_SECONDS = 0.6;

/**
 * Returns the billable quantities of a job: its pieces, at most as many and as long as requested, and the tokens that the upstream reports.
 */
export function workBillable(kind: TaskKind, asked: AskedWork, result: JobResult): Billable {
  const made = Math.min(asked.count, result.items.length);
  const { tokens = null } = result;
  const known: AskedWork = { ...asked, resolution: asked.resolution ?? result.resolution ?? null };
  const seconds = result.items.slice(0, made).map(({ durationSeconds = null }) => lengthOf(asked, durationSeconds));
  const isKnown = seconds.every((length) => length !== null);
  const quantities: Quantity[] = [ONE_REQUEST];
  if (kind === 'image') {
    quantities.push({ unit: 'image', amount: made, ...variantOf(known.resolution) }, ...tokensOfImages(asked, made));
  } else quantities.push(...clips(known, seconds));
  const total = seconds.reduce<number>((sum, length) => sum + (length ?? 0), 0);
  if (total > 0) quantities.push(time(known, total));
  const output = countOf(tokens?.output) ?? asked.outputTokens ?? null;
  if (output !== null) quantities.push({ unit: 'output_token', amount: output });
  const input = countOf(tokens?.input) ?? 0;
  if (input > 0) quantities.push({ unit: 'input_token', amount: input });
  return { quantities, source: isKnown && asked.imageTokens === undefined ? 'reported' : 'estimated' };
}

/** Returns the estimated tokens of images, which no provider with jobs reports. */
function tokensOfImages({ imageTokens, count }: AskedWork, made: number): readonly Quantity[] {
  if (imageTokens === undefined) return [];
  return imageTokenQuantities({ ...imageTokens, imageOutput: Math.ceil((imageTokens.imageOutput * made) / count) });
}

/** Returns an upstream's count if it is a valid one, else `null`. */
function countOf(told: number | undefined): number | null {
  return told !== undefined && Number.isSafeInteger(told) && told >= 0 ? told : null;
}

/** Returns the largest billable quantities, without the tokens; `mostSeconds` applies if the upstream chooses the length. */
export function largestPieces(
  kind: TaskKind,
  asked: AskedWork,
  mostSeconds: number,
): readonly Quantity<'image' | 'clip' | 'millisecond'>[] {
  if (kind === 'image') return [{ unit: 'image', amount: asked.count, ...variantOf(asked.resolution) }];
  const length = asked.seconds ?? mostSeconds;
  return [
    ...clips(
      asked,
      Array.from({ length: asked.count }, () => asked.seconds),
    ),
    time(asked, length * asked.count),
  ];
}

/** Groups clips by variant, because clips of one length have one price. */
function clips(work: AskedWork, seconds: readonly (number | null)[]): readonly Quantity<'clip'>[] {
  const counts = new Map<string, number>();
  for (const length of seconds) {
    const name = clipName(work, length);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, amount]) => ({ unit: 'clip', amount, ...variantOf(name === '' ? null : name) }));
}

/** Returns a name such as `1080p/6s/audio`. Unknown parts are left out; without a resolution, the other parts mean nothing. */
function clipName({ resolution, traits = [] }: AskedWork, seconds: number | null): string {
  const length = seconds === null ? [] : [`${seconds}s`];
  return [...(resolution === null ? [] : [resolution]), ...length, ...traits].join('/');
}

function time({ resolution, traits = [] }: AskedWork, seconds: number): Quantity<'millisecond'> {
  const name = [...(resolution === null ? [] : [resolution]), ...traits].join('/');
  return { unit: 'millisecond', amount: Math.round(seconds * 1_000), ...variantOf(name === '' ? null : name) };
}

function variantOf(variant: string | null): { readonly variant?: string } {
  return variant === null ? {} : { variant };
}

/** Returns the requested length, unless clearly less was made; `null` if neither is known. */
function lengthOf({ seconds: asked }: AskedWork, made: number | null): number | null {
  const isLength = made !== null && Number.isFinite(made) && made > 0;
  if (asked === null) return isLength ? made : null;
  return isLength && made < asked - TOLERANCE_SECONDS ? made : asked;
}
