import { ERROR_CODES } from '../../domain/failure/error-codes.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import { loggedText } from '../../formats/shared/failure/clean-message.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { FailedAttempt, ToldFailure } from '../ports/request-log.ts';

/* The texts of failures in the request log. They are bounded, since clients and upstreams choose some of them. */

const MESSAGE_CHARACTERS = 1_000;
const HINT_CHARACTERS = 500;
const PARAM_CHARACTERS = 200;
const ATTEMPT_CHARACTERS = 500;
const MODEL_CHARACTERS = 256;

export function toldFailure({ message, code, side, details }: Failure): ToldFailure {
  const { param, hint } = details;
  return {
    message: loggedText(message, MESSAGE_CHARACTERS),
    ...(param !== undefined && { param: loggedText(param, PARAM_CHARACTERS) }),
    ...(hint !== undefined && { hint: loggedText(hint, HINT_CHARACTERS) }),
    ...(side !== ERROR_CODES[code].side && { side }),
  };
}

/** Returns what the client of a failed task is told, whose failure is stored as a message. */
export function toldMessage(message: string): ToldFailure {
  return { message: loggedText(message, MESSAGE_CHARACTERS) };
}

/** Returns a failed attempt for the request log. `facts` are those of `CallTimes`. */
export function failedAttemptOf(
  asked: AskedTarget | null,
  { kind, message, details: { answeredParts } }: Failure,
  latencyMs: number,
  facts: Partial<FailedAttempt>,
): FailedAttempt {
  return {
    ...{ channelId: asked?.channel.id ?? '', kind, latencyMs },
    ...(answeredParts !== undefined && { answeredParts }),
    ...facts,
    message: loggedText(message, ATTEMPT_CHARACTERS),
    ...(asked?.channel.upstreamKey !== undefined && { upstreamKey: asked.channel.upstreamKey.name }),
    ...(asked?.isPrivate === true && { isPrivate: true as const }),
  };
}

/** Returns a model as the client wrote it, which may be any text. */
export function loggedModel(written: string): string {
  return loggedText(written, MODEL_CHARACTERS);
}
