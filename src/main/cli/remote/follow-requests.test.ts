import { expect, test } from 'bun:test';
import type { ReceivedEvent } from './event-stream.ts';
import { type Followed, followRequests } from './follow-requests.ts';
import { RemoteError } from './management-client.ts';

const line = (id: string): ReceivedEvent => ({
  ...{ event: 'request', id: `after ${id}` },
  data: JSON.stringify({ id, at: '2026-01-01T00:00:00Z', status: 200, latency_ms: 1 }),
});
const beat = (id: string): ReceivedEvent => ({ event: null, id, data: null });

/** Follows streams that end one after the other, until the last one has; records where each began, and the pauses. */
async function follow(streams: readonly (readonly (ReceivedEvent | RemoteError)[])[]) {
  const aborter = new AbortController();
  const [began, pauses, found]: [(string | null)[], number[], Followed[]] = [[], [], []];
  const client = {
    async *events(_path: string, _query: object, { after }: { after: string | null }) {
      began.push(after);
      for (const event of streams[began.length - 1] ?? []) {
        if (event instanceof RemoteError) throw event;
        yield event;
      }
    },
  };
  const sleep = async (ms: number) => {
    pauses.push(ms);
    if (began.length === streams.length) aborter.abort();
  };
  for await (const one of followRequests(client, { query: {}, resumes: true, signal: aborter.signal, sleep }))
    found.push(one);
  const ids = found.flatMap((one) => (one.kind === 'request' ? [one.request.id] : []));
  return { began, pauses, ids, kinds: found.map(({ kind }) => kind) };
}

const away = new RemoteError('away', true, null);

test('a stream that breaks off is continued after its last event', async () => {
  const { began, ids, kinds } = await follow([[beat('0'), line('a'), away], [beat('1'), line('b')], []]);
  expect(began).toEqual([null, 'after a', 'after b']);
  expect(ids).toEqual(['a', 'b']);
  expect(kinds).toEqual([
    'connected',
    'request',
    'disconnected',
    'connected',
    'request',
    'disconnected',
    'disconnected',
  ]);
});

test('pauses grow while the gateway is away, and follow its advice', async () => {
  const busy = new RemoteError('busy', true, 429, 7_000);
  const { pauses } = await follow([[away], [away], [beat('1'), away], [busy], ...Array(4).fill([away])]);
  expect(pauses).toEqual([500, 1_000, 500, 7_000, 10_000, 10_000, 10_000, 10_000]);
});

test('a refused token ends it, at the start and in between', async () => {
  const refused = new RemoteError('The management token is not valid.', false, 401);
  await expect(follow([[refused]])).rejects.toThrow('not valid');
  const revoked = { event: 'end', id: null, data: '{"reason":"not_allowed"}' };
  await expect(follow([[beat('0'), revoked]])).rejects.toThrow('revoked');
});

test('a gateway that stops is asked again', async () => {
  const stopping = { event: 'end', id: null, data: '{"reason":"shutting_down"}' };
  expect((await follow([[beat('0'), line('a'), stopping], [line('b')]])).ids).toEqual(['a', 'b']);
});

test('lines of another form are passed over', async () => {
  expect((await follow([[{ event: 'request', id: '1', data: '{"id":7}' }, line('a')]])).ids).toEqual(['a']);
});
