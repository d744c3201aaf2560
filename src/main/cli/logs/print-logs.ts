import { entryOf, isRecord, objectOf } from '../../../formats/shared/json/record.ts';
import { sleep } from '../../system.ts';
import { CommandError } from '../command-error.ts';
import type { CommandSetup } from '../context.ts';
import { followRequests } from '../remote/follow-requests.ts';
import type { ManagementClient, RemoteQuery } from '../remote/management-client.ts';
import { type ReceivedRequest, receivedRequest } from '../remote/received-request.ts';
import { remoteClient } from '../remote/remote-options.ts';
import { type LogsOptions, requestQuery } from '../remote/request-options.ts';
import { paintFor } from '../remote/words.ts';
import { printableJson } from '../table.ts';
import { requestLine } from './request-line.ts';
import { requestStory } from './request-story.ts';

/** The largest page of the management API. */
const PAGE = 1_000;

/** Prints finished requests; with `--follow` until the command is interrupted. */
export async function printLogs(setup: CommandSetup, options: LogsOptions, limit: number): Promise<void> {
  const { dependencies, setExitCode } = setup;
  const { stdout, stderr, clock } = dependencies;
  const client = remoteClient(options, dependencies);
  const ending = dependencies.ending();
  const paint = paintFor(dependencies.isTerminal, dependencies.environment);
  const print = (request: ReceivedRequest) =>
    stdout.write(`${options.json ? printableJson(request.json) : requestLine(request, paint)}\n`);
  const query = {
    ...requestQuery(options),
    failed: options.failed,
    min_latency_ms: options.slow,
    from: options.since === undefined ? undefined : new Date(clock.nowMs() - options.since).toISOString(),
  };
  const { signal } = ending;
  try {
    if (options.follow !== true) {
      const { requests, hasMore } = await newest(client, query, limit, signal);
      for (const request of requests) print(request);
      if (hasMore && options.since !== undefined) stderr.write(`notice: more requests match; raise --limit\n`);
      return;
    }
    await follow(client, query, { limit, signal, print, notice: (text) => stderr.write(`notice: ${text}\n`) });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  setExitCode(ending.exitCode);
}

interface Following {
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly print: (request: ReceivedRequest) => void;
  readonly notice: (text: string) => void;
}

async function follow(client: ManagementClient, query: RemoteQuery, following: Following): Promise<void> {
  const { limit, signal, print, notice } = following;
  /** The requests that were printed before the stream: it may repeat those that were written meanwhile. */
  const listed = new Set<string>();
  let isFirst = true;
  let isAway = false;
  for await (const followed of followRequests(client, { query, resumes: true, signal, sleep })) {
    if (followed.kind === 'disconnected') {
      if (!isAway) notice(`${followed.reason}; connecting again`);
      isAway = true;
      continue;
    }
    if (isAway) notice('connected again; nothing was missed');
    isAway = false;
    // The stream is open before the list is read, so that no request is missed between them.
    if (isFirst && limit > 0) {
      const { requests } = await newest(client, query, limit, signal);
      for (const request of requests) listed.add(request.id);
      for (const request of requests) print(request);
    }
    isFirst = false;
    if (followed.kind === 'request' && !listed.delete(followed.request.id)) print(followed.request);
  }
}

/** Resolves to the newest matching requests, the oldest first. */
async function newest(
  client: Pick<ManagementClient, 'read'>,
  query: RemoteQuery,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly requests: readonly ReceivedRequest[]; readonly hasMore: boolean }> {
  const requests: ReceivedRequest[] = [];
  let after: string | undefined;
  do {
    const page = objectOf(
      await client.read('/requests', { ...query, limit: Math.min(PAGE, limit - requests.length), after }, signal),
    );
    for (const line of Array.isArray(page.data) ? page.data : []) {
      const request = isRecord(line) ? receivedRequest(line) : null;
      if (request !== null) requests.push(request);
    }
    after = typeof page.next === 'string' ? page.next : undefined;
  } while (after !== undefined && requests.length < limit);
  return { requests: requests.reverse(), hasMore: after !== undefined };
}

/** Prints the story of one request. */
export async function printStory({ dependencies }: CommandSetup, options: LogsOptions, id: string): Promise<void> {
  const client = remoteClient(options, dependencies);
  const { signal } = dependencies.ending();
  const found = await client.read(`/requests/${encodeURIComponent(await requestIdOf(client, id, signal))}`, {}, signal);
  const text = options.json ? `${printableJson(found, 2)}\n` : requestStory(found);
  if (text === null) throw new CommandError(`${client.url} answered in a form that this version cannot read`);
  dependencies.stdout.write(text);
}

/** Resolves to the id of the newest request with this id of the client's own, or to the id itself if it is the gateway's. */
async function requestIdOf(client: ManagementClient, id: string, signal: AbortSignal): Promise<string> {
  if (id.startsWith('req_')) return id;
  const page = objectOf(await client.read('/requests', { client_request_id: id, limit: 1 }, signal));
  const first: unknown = Array.isArray(page.data) ? page.data[0] : undefined;
  const found = isRecord(first) ? entryOf(first, 'id') : undefined;
  if (typeof found === 'string') return found;
  throw new CommandError(
    `no request has the id ${JSON.stringify(id.slice(0, 100))}, neither the gateway's nor the client's`,
  );
}
