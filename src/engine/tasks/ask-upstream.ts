import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { ownPositionIn } from '../../domain/trace/call-identity.ts';
import { jsonExcess } from '../../formats/shared/json/json-extent.ts';
import type { PollRequest } from '../../formats/shared/tasks/wire.ts';
import type { WireAnswer } from '../../formats/wire.ts';
import { nextUrl } from '../call/answer-parts.ts';
import { forwardedIds } from '../call/forwarded-ids.ts';
import { detachedClient, refused, send } from '../call/send.ts';
import type { Target } from '../directory/target.ts';
import type { Upstream } from '../ports/upstream.ts';
import type { TaskPorts } from './task-ports.ts';

/** The limit for providers that put the video itself into the answer. */
const MOST_BYTES_WITH_FILES = 192 * 1024 * 1024;
/** The limit for all others: parsing a larger answer would block all other requests. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Parsing more values would block as long; the longest answers are lists of a hundred jobs. */
const BOUNDS = { mostValues: 200_000, deepest: 500 };
const LONGEST_QUESTION_MS = 60_000;

export interface UpstreamQuestion {
  readonly accountId: string;
  readonly poll: PollRequest;
  /** See `SendInput`. */
  readonly ids: Readonly<Record<string, string>> | null;
  /** Returns whether memory has room for this many more bytes. */
  readonly take?: (bytes: number) => boolean;
  /** See `TaskWire.holdsFiles`. */
  readonly holdsFiles: boolean;
}

/** Sends one poll about jobs to the channel where they were submitted. Never throws. */
export async function askUpstream(
  upstream: Upstream,
  target: Target,
  { accountId, poll, ids, take, holdsFiles }: UpstreamQuestion,
): Promise<WireAnswer | Failure> {
  const { method = 'GET', body = null, headers = null } = poll;
  const answer = await send(upstream, {
    target,
    url: nextUrl(target.baseUrl, poll.url),
    headers: target.headers,
    ids,
    timeouts: timeoutsOf(target),
    client: detachedClient(accountId),
    prepared: { method, body, headers, losses: [], extras: null },
  });
  if (answer instanceof Failure) return target.secrets.cleaned(answer);
  if (answer.status < 200 || answer.status > 299) return target.secrets.cleaned(await refused(target, answer));
  const limitBytes = holdsFiles ? MOST_BYTES_WITH_FILES : MOST_BYTES;
  const bytes = await answer.body.readAll({ limitBytes, ...(take !== undefined && { take }) });
  if (bytes instanceof Failure) return bytes;
  return jsonExcess(bytes, BOUNDS) === null ? { bytes, headers: answer.headers } : tooManyValues();
}

/** Returns the headers with the ids that the upstream of a task gets: those of the request that created it. */
export function idsOfTask(
  { forwardIds, tracing }: Pick<TaskPorts, 'forwardIds' | 'tracing'>,
  { requestId, clientIds }: Pick<Task, 'requestId' | 'clientIds'>,
  target: Target,
): Readonly<Record<string, string>> | null {
  return forwardedIds(target, forwardIds, () => {
    const identity = { requestId, ...clientIds };
    return { requestId, trace: tracing?.begin(identity) ?? ownPositionIn(identity) };
  });
}

function tooManyValues(): Failure {
  return new Failure('upstream_error', {
    kind: 'answer_too_large',
    message: `The upstream's response about a job has more than ${BOUNDS.mostValues} values, or is nested too deeply.`,
  });
}

function timeoutsOf({ timeouts: { whole } }: Target): CallTimeouts {
  return {
    ...whole,
    firstByteMs: Math.min(whole.firstByteMs, LONGEST_QUESTION_MS),
    totalMs: Math.min(whole.totalMs, 2 * LONGEST_QUESTION_MS),
  };
}
