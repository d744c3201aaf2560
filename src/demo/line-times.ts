import type { FailedAttempt, RequestTimes } from '../engine/ports/request-log.ts';
import { PRIVATE_CHANNEL, providerOf } from './channels.ts';
import { attemptMessage } from './failure-texts.ts';

/** The times of a request that was refused at once. */
export const NO_TIMES: RequestTimes = {
  admittedMs: null,
  lookedUpMs: null,
  askedMs: null,
  heardMs: null,
  upstreamStatus: null,
  answeredMs: null,
  chargedMs: null,
};

/** Returns the times of a request that an upstream has answered, after waiting for `waitedMs`. */
export function answeredTimes(waitedMs: number, firstByteMs: number, latencyMs: number): RequestTimes {
  const askedMs = Math.round(waitedMs);
  return {
    ...{ admittedMs: 0, lookedUpMs: 1, askedMs, upstreamStatus: 200 },
    heardMs: askedMs + Math.max(0, Math.round(firstByteMs) - 2),
    ...{ answeredMs: Math.max(askedMs, latencyMs - 2), chargedMs: latencyMs },
  };
}

/** Returns the times of a request whose last attempt has failed. */
export function failedTimes(last: FailedAttempt | undefined): RequestTimes {
  const { beganMs = null, heardMs, status } = last ?? {};
  return {
    ...NO_TIMES,
    ...{ admittedMs: 0, lookedUpMs: 1, askedMs: beganMs },
    heardMs: beganMs === null || heardMs === undefined ? null : beganMs + heardMs,
    upstreamStatus: status ?? null,
  };
}

export function failedAttempt(channelId: string, kind: string, latencyMs: number, waitedMs: number): FailedAttempt {
  const status = kind === 'upstream_auth' ? 401 : Number(/^http_(\d{3})$/.exec(kind)?.[1] ?? 0);
  return {
    ...{ channelId, kind, latencyMs, provider: providerOf(channelId), beganMs: Math.round(waitedMs) },
    ...(status > 0 && { heardMs: latencyMs, status }),
    message: attemptMessage(kind),
    ...(channelId === PRIVATE_CHANNEL && { isPrivate: true as const }),
  };
}
