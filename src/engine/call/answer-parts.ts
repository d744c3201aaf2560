import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { NextRequest } from '../../formats/wire.ts';
import type { Target } from '../directory/target.ts';
import type { Clock, Sleep } from '../ports/clock.ts';
import type { Upstream, UpstreamAnswer, WaitingClient } from '../ports/upstream.ts';
import { askAgain } from './ask-again.ts';
import type { AnswerPart, FurtherRequest, Lane, LaneRequest } from './lane.ts';
import type { Outcome } from './outcome.ts';
import type { BufferedBytes } from './response-memory.ts';
import { refused, send } from './send.ts';

/** A larger whole answer is refused. No model's answer comes near this size. */
export const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** The number of consecutive polls of a job that may fail. */
const MOST_LOST_POLLS = 8;
/** The number of polls that may get a 404: at first, not all of the provider's servers may know the job. */
const MOST_UNKNOWN = 3;
const LONGEST_WAIT_MS = 30_000;
/** The number of a lane's requests in flight at a time. */
const MOST_AT_ONCE = 4;
/** Failures that end a job's polling: the provider rejects the channel's credentials or budget. */
const FINAL: ReadonlySet<string> = new Set(['upstream_auth', 'upstream_quota', 'forbidden']);

export interface AttemptTools {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

interface LocatedRequest extends NextRequest {
  readonly url: string;
}

interface PartsInput {
  readonly lane: Pick<Lane, 'next'>;
  readonly prepared: LaneRequest;
  readonly target: Target;
  readonly timeouts: CallTimeouts;
  readonly deadlineMs: number;
  readonly client: WaitingClient;
  readonly buffered: BufferedBytes;
  readonly ids: Readonly<Record<string, string>> | null;
  readonly outcome: Pick<Outcome, 'heard'>;
}

/**
 * Reads the whole answers to all requests of a lane; the first has been sent already. If one fails, all fail and the others are cancelled.
 * All answers share the call's memory budget and the attempt's deadline.
 */
export async function readParts(
  tools: AttemptTools,
  input: PartsInput,
  first: UpstreamAnswer,
): Promise<readonly AnswerPart[] | Failure> {
  const { more = [] } = input.prepared;
  if (more.length > 0) return await readSeveral(tools, input, first, more);
  const only = await finished(tools, input, first);
  return only instanceof Failure ? only : [only];
}

async function readSeveral(
  tools: AttemptTools,
  input: PartsInput,
  first: UpstreamAnswer,
  more: readonly FurtherRequest[],
): Promise<readonly AnswerPart[] | Failure> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([input.client.signal, stopping.signal]);
  const stoppable: PartsInput = { ...input, client: { ...input.client, signal } };
  const parts = new Map<number, AnswerPart>();
  const failures: Failure[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at <= more.length && failures.length === 0; at = next++) {
      const further = more[at - 1];
      const part = await (further === undefined
        ? finished(tools, stoppable, first)
        : answered(tools, stoppable, further));
      if (!(part instanceof Failure)) parts.set(at, part);
      else if (failures.push(part) === 1) {
        stopping.abort();
        first.body.cancel();
      }
    }
  };
  // A job costs money from its submission, so jobs are submitted one at a time: none follows a failed one.
  const atOnce = input.lane.next === undefined ? MOST_AT_ONCE : 1;
  await Promise.all(Array.from({ length: Math.min(atOnce, more.length + 1) }, work));
  const [failure] = failures;
  if (failure !== undefined) return afterParts(failure, parts.size);
  return [...parts].sort(([one], [other]) => one - other).map(([, part]) => part);
}

/**
 * Returns the failure with the number of parts that the upstream has answered, for which the operator, not the client, pays. The remaining
 * requests failed because of this failure.
 */
function afterParts(failure: Failure, answeredParts: number): Failure {
  if (answeredParts === 0) return failure;
  const { code, details, ...rest } = failure;
  const { kind, side, status, retry } = rest;
  return new Failure(code, { ...details, kind, side, status, retry, answeredParts });
}

/** Sends one of the further requests and reads its answer. */
async function answered(
  tools: AttemptTools,
  input: PartsInput,
  further: FurtherRequest,
): Promise<AnswerPart | Failure> {
  const { url, headers } = input.target;
  const answer = await askAgain(tools, { ...input, url, headers, prepared: { ...input.prepared, ...further } });
  return answer instanceof Failure ? answer : await finished(tools, input, answer);
}

/** Reads the answer. While the upstream still works on the job, polls it until the first-byte timeout. */
async function finished(tools: AttemptTools, input: PartsInput, first: UpstreamAnswer): Promise<AnswerPart | Failure> {
  const { lane } = input;
  let part = await read(input, first);
  if (lane.next === undefined) return part;
  const deadlineMs = tools.clock.monotonicMs() + input.timeouts.firstByteMs;
  let lost = 0;
  let request: LocatedRequest | null = null;
  for (;;) {
    if (!(part instanceof Failure)) {
      const next = lane.next(part);
      if (next === null || next instanceof Failure) return next ?? part;
      request = located(next, request);
      if (request === null) return nowhere();
      lost = 0;
    } else if (request === null || !mayBeLost(part, ++lost)) {
      return part;
    }
    const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(0, request.afterMs) + (lost > 0 ? 500 * 2 ** lost : 0));
    if (tools.clock.monotonicMs() + waitMs >= deadlineMs) return tooLate(input.timeouts.firstByteMs);
    await tools.sleep(waitMs, input.client.signal);
    if (input.client.signal.aborted) return clientGone();
    part = await asked(tools, input, request, deadlineMs);
  }
}

async function asked(
  { upstream, clock }: AttemptTools,
  input: PartsInput,
  { method, url, body }: LocatedRequest,
  deadlineMs: number,
): Promise<AnswerPart | Failure> {
  const { target, timeouts, client, ids } = input;
  const leftMs = Math.max(1, Math.ceil(deadlineMs - clock.monotonicMs()));
  const answer = await send(upstream, {
    ...{ target, client, ids, headers: target.headers },
    url: nextUrl(target.baseUrl, url),
    timeouts: { ...timeouts, firstByteMs: leftMs, totalMs: leftMs },
    prepared: { method, body, headers: null, losses: [], extras: null },
  });
  if (answer instanceof Failure) return answer;
  input.outcome.heard(answer);
  return answer.status < 200 || answer.status > 299 ? await refused(target, answer) : await read(input, answer);
}

async function read({ buffered }: PartsInput, answer: UpstreamAnswer): Promise<AnswerPart | Failure> {
  const bytes = await answer.body.readAll({ limitBytes: MAX_ANSWER_BYTES, take: buffered.takeWhole });
  return bytes instanceof Failure ? bytes : { bytes, headers: answer.headers };
}

/**
 * Returns whether a failed poll may be ignored. An unreachable upstream has not lost the job, and submitting it again would generate, and
 * cost, everything twice.
 */
function mayBeLost({ side, kind, retry }: Failure, times: number): boolean {
  if (times > MOST_LOST_POLLS) return false;
  if (kind === 'http_404') return times <= MOST_UNKNOWN;
  return side === 'upstream' && retry !== 'never' && !FINAL.has(kind);
}

function tooLate(withinMs: number): Failure {
  return new Failure('timeout_error', {
    kind: 'job_timeout',
    message: `The provider did not finish within ${Math.round(withinMs / 1_000)} seconds.`,
  });
}

function located(next: NextRequest, last: LocatedRequest | null): LocatedRequest | null {
  const url = next.url ?? last?.url;
  return url === undefined ? null : { ...next, url };
}

function nowhere(): Failure {
  return new Failure('upstream_error', {
    kind: 'garbage',
    message: 'The provider accepted the job but returned no URL to poll.',
  });
}

function clientGone(): Failure {
  return new Failure('client_closed_request', { message: 'The client closed the connection.' });
}

/** Matches IP addresses as `URL` writes them, with IPv6 in brackets. */
const IP_ADDRESS = /^[\d.]+$|^\[/;

/**
 * Returns the URL at which a job is polled. `said` is a path below the base address, or the URL that the upstream gave. The request carries
 * the channel's key, so it goes to the host of the base address, or by https to another host of the same domain (providers have regional
 * hosts). Any other URL is asked at the host of the base address.
 */
export function nextUrl(baseUrl: string, said: string): string {
  if (said.startsWith('/') && !said.startsWith('//')) return baseUrl + said;
  const base = new URL(baseUrl);
  const url = URL.parse(said, base.origin);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return baseUrl;
  const isOwnHost = url.origin === base.origin;
  if (isOwnHost || (isPlainHttps(url) && isPlainHttps(base) && domainOf(url) === domainOf(base))) {
    return url.origin + url.pathname + url.search;
  }
  return base.origin + url.pathname + url.search;
}

function isPlainHttps({ protocol, port, hostname }: URL): boolean {
  return protocol === 'https:' && port === '' && !IP_ADDRESS.test(hostname);
}

/** Returns the last two labels of the host: `bfl.ai` for `api.eu.bfl.ai`. No provider's address lies directly below a public suffix. */
function domainOf({ hostname }: URL): string {
  return hostname.split('.').slice(-2).join('.');
}
