import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import type { InboundCall } from '../../formats/format.ts';
import { clientFormats } from '../../formats/index.ts';
import type { RequestRecord } from '../ports/request-log.ts';
import type { StreamAnswer } from './attempt.ts';
import { ClientStream } from './client-stream.ts';
import { Outcome, type RecordPorts } from './outcome.ts';

const idle = new Failure('timeout_error', { message: 'The upstream fell silent.', kind: 'idle_timeout' });
const nothing = () => {};
const utf8 = new TextEncoder();
const call: InboundCall = { operation: 'generate', model: null, stream: null, framing: 'sse' };

const said = (text: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ model: 'up', choices: [{ index: 0, delta: { content: text }, finish_reason: finish }] })}\n\n`;
const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 5 } })}\n\n`;
const done = 'data: [DONE]\n\n';

/** A stream whose upstream sends these pieces, and then falls silent for good. */
function streaming(...pieces: readonly string[]) {
  const records: RequestRecord[] = [];
  const problems: unknown[] = [];
  let nowMs = 0;
  const ports = {
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs++ },
    log: { append: (record: RequestRecord) => records.push(record) },
    metrics: { requestStarted: nothing, requestFinished: nothing },
    logger: { info: nothing, warn: nothing, error: (fields: unknown) => problems.push(fields) },
  } as unknown as RecordPorts;
  const format = clientFormats.get('openai-chat');
  if (!format) throw new Error('there is no such format');
  const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Say hello in three languages.' }] };
  const request = format.parseRequest(utf8.encode(JSON.stringify(body)), call);
  if (request instanceof Failure) throw new Error(request.message);
  const relay = format.relayStream(request, { publicModel: 'public', routingJson: '{}' });
  const rest = [...pieces];
  const first = relay.push(utf8.encode(rest.shift() ?? ''));
  const read = async () => {
    const piece = rest.shift();
    return piece === undefined ? idle : utf8.encode(piece);
  };
  const answer = { kind: 'stream', relay, first, body: { read, cancel: nothing } } as unknown as StreamAnswer;
  const outcome = new Outcome(ports, 'req_1', 'openai-chat');
  const over: string[] = [];
  const recorded = Promise.withResolvers<void>();
  const stream = new ClientStream(
    answer,
    format,
    request,
    outcome,
    null,
    () => over.push(`over with ${records.length} records`),
    recorded.resolve,
  );
  const readAll = async () => {
    let text = '';
    for (let piece = await stream.next(); piece !== null; piece = await stream.next())
      text += new TextDecoder().decode(piece);
    return text;
  };
  return { stream, readAll, records, over, problems, recorded: recorded.promise };
}

describe('a stream', () => {
  test('that fails in the middle ends with an error frame, and costs what was produced', async () => {
    const { readAll, records, recorded } = streaming(said('Hello, '), said('bonjour'));
    expect(await readAll()).toContain('data: {"error":');
    await recorded;
    expect(records).toMatchObject([{ errorCode: 'timeout_error', usage: { source: 'estimated', output: 4 } }]);
    expect(records[0]?.usage?.input).toBeGreaterThan(8);
  });

  test('whose upstream lingers after the end mark gets no error added to a complete answer', async () => {
    const { readAll, records } = streaming(said('Hello', 'stop'), usage, done);
    expect(await readAll()).toEndWith(done);
    expect(records).toMatchObject([{ failureKind: null, usage: { source: 'reported', input: 7, output: 5 } }]);
  });

  test('that ends well without a report is estimated', async () => {
    const { readAll, records, recorded } = streaming(said('Hello', 'stop'), done);
    await readAll();
    await recorded;
    expect(records).toMatchObject([{ failureKind: null, usage: { source: 'estimated', output: 1 } }]);
  });
});

describe('a client that leaves', () => {
  test('in the middle has the row say what was produced', async () => {
    const { stream, records, over, recorded, problems } = streaming(said('Hello, '), said('bonjour'), said('!'));
    await stream.next();
    await stream.next();
    stream.clientLeft();
    expect(over).toEqual(['over with 0 records']);
    expect(await stream.next()).toBeNull();
    await recorded;
    expect(records).toMatchObject([
      { clientGone: true, errorCode: 'client_closed_request', usage: { source: 'estimated', output: 4, reasoning: 0 } },
    ]);
    // The clock of this test goes on by one at every look: the count was not waited for.
    expect(records[0]?.latencyMs).toBe(2);
    expect(problems).toEqual([]);
  });

  test('after the report has the row say what was reported, at once', async () => {
    const { stream, records, over } = streaming(said('Hello', 'stop'), usage);
    await stream.next();
    const unread = stream.next();
    await Bun.sleep(0);
    stream.clientLeft();
    await unread;
    expect(over).toEqual(['over with 0 records']);
    expect(records).toMatchObject([{ usage: { source: 'reported', input: 7, output: 5 } }]);
  });

  test('twice is recorded once', async () => {
    const { stream, records, recorded } = streaming(said('Hello'));
    stream.clientLeft();
    stream.clientLeft();
    await recorded;
    expect(records).toHaveLength(1);
  });
});
