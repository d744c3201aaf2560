import type { FailureSide } from '../../../domain/failure/error-codes.ts';
import type { RequestRecord, ToldFailure } from '../../../engine/ports/request-log.ts';
import type { ContentBox } from '../content-box.ts';
import { SecretBoxError } from '../secret-box.ts';

/*
 * The texts of a failed request. Clients and upstreams choose them, and they may quote a prompt, so they are encrypted like all content of
 * clients.
 */

/** A line with its texts sealed as well. Only `sealedFailure` is stored of them. */
export type SealedLine = RequestRecord & { readonly sealedFailure?: string };

/** The names are short, since a flood of refused requests writes one of these for each. */
interface Texts {
  /** The message, parameter, hint and side that the client was told. */
  readonly m?: string;
  readonly p?: string;
  readonly h?: string;
  readonly s?: FailureSide;
  /** The requested model. */
  readonly q?: string;
  /** The messages of the failed attempts, in order; absent if there are none. */
  readonly a?: readonly (string | null)[];
}

/** Adds the sealed texts to a line. Returns a line without texts, as of every successful request, as it is. */
export function sealedLine(record: RequestRecord, box: ContentBox): SealedLine {
  const { requestId, told, requestedModel, failedAttempts } = record;
  const hasMessages = failedAttempts.length > 0 && failedAttempts.some(({ message }) => message !== undefined);
  if (told === undefined && requestedModel === undefined && !hasMessages) return record;
  const { message: m, param: p, hint: h, side: s } = told ?? {};
  const a = hasMessages ? failedAttempts.map(({ message = null }) => message) : undefined;
  const texts = JSON.stringify({ m, p, h, s, q: requestedModel, a } satisfies Record<keyof Texts, unknown>);
  return { ...record, sealedFailure: Buffer.from(box.seal(texts, placeOf(requestId))).toString('base64') };
}

/** Returns a stored line with its texts; without them if they were sealed with a lost secret. */
export function openedLine({ sealedFailure, ...line }: SealedLine, box: ContentBox): RequestRecord {
  if (sealedFailure === undefined) return line;
  const texts = textsIn(sealedFailure, placeOf(line.requestId), box);
  if (texts === null) return line;
  const { m, p, h, s, q, a } = texts;
  return {
    ...line,
    ...(m !== undefined && { told: toldFrom(m, p, h, s) }),
    ...(q !== undefined && { requestedModel: q }),
    failedAttempts: line.failedAttempts.map((attempt, index) => {
      const message = a?.[index] ?? null;
      return message === null ? attempt : { ...attempt, message };
    }),
  };
}

function textsIn(sealed: string, place: readonly string[], box: ContentBox): Texts | null {
  try {
    return JSON.parse(box.open(Buffer.from(sealed, 'base64'), place)) as Texts; // Written by `sealedLine`.
  } catch (error) {
    if (error instanceof SecretBoxError) return null;
    throw error;
  }
}

function toldFrom(message: string, param?: string, hint?: string, side?: FailureSide): ToldFailure {
  return {
    message,
    ...(param !== undefined && { param }),
    ...(hint !== undefined && { hint }),
    ...(side !== undefined && { side }),
  };
}

export function placeOf(requestId: string): readonly string[] {
  return ['request log', requestId];
}
