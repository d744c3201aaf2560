import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { decodeFailure } from '../../formats/shared/failure/upstream-failure.ts';
import { send } from '../call/send.ts';
import type { ChannelQuestion } from '../directory/target.ts';
import type { Upstream, UpstreamBody } from '../ports/upstream.ts';

const ERROR_BOUNDS = { limitBytes: 256 * 1024, withinMs: 10_000 };
const LONGEST_MS = 15_000;
const LONGEST_CONNECT_MS = 5_000;

/**
 * Sends a free request about a channel itself. Resolves to the result of `read` for a 2xx answer, or to the failure without secrets. Takes
 * at most `longestMs`, and never throws.
 */
export async function askChannel<Result>(
  upstream: Upstream,
  question: ChannelQuestion,
  read: (body: UpstreamBody) => Promise<Result | Failure>,
  longestMs = LONGEST_MS,
): Promise<Result | Failure> {
  const result = await answerOf(upstream, question, read, timeoutsWithin(longestMs));
  return result instanceof Failure ? question.secrets.cleaned(result) : result;
}

async function answerOf<Result>(
  upstream: Upstream,
  question: ChannelQuestion,
  read: (body: UpstreamBody) => Promise<Result | Failure>,
  timeouts: CallTimeouts,
): Promise<Result | Failure> {
  const { url, headers } = question;
  const answer = await send(upstream, {
    ids: null,
    ...{ target: question, url, headers, timeouts },
    client: { signal: new AbortController().signal },
    prepared: { method: 'GET', body: null, headers: null, losses: [], extras: null },
  });
  if (answer instanceof Failure) return answer;
  const { status, body } = answer;
  if (status >= 200 && status < 300) return await read(body);
  const said = await body.readAll(ERROR_BOUNDS);
  return decodeFailure(status, answer.headers, said instanceof Failure ? new Uint8Array(0) : said);
}

function timeoutsWithin(longestMs: number): CallTimeouts {
  const connectMs = Math.min(LONGEST_CONNECT_MS, longestMs);
  return { connectMs, firstByteMs: longestMs, idleMs: longestMs, totalMs: longestMs };
}

/** Returns whether this address lacks the endpoint, so that its answer says nothing about the key. */
export function isNotThere({ kind }: Failure): boolean {
  return kind === 'http_404' || kind === 'http_405';
}
