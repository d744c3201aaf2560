import { describe, expect, test } from 'bun:test';
import { sampleBillable } from '../../domain/exchange/testing/sample-usage.ts';
import { billableOf } from '../../domain/exchange/usage.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { amountOf, NOTHING_BILLABLE, ONE_REQUEST } from '../../domain/money/quantity.ts';
import { sampleIdentity } from '../../domain/testing/sample-identity.ts';
import { pause } from '../../domain/testing/until.ts';
import { clientFormats } from '../../formats/index.ts';
import type { InboundCall } from '../../formats/text/client-request.ts';
import type { StreamRelay } from '../../formats/text/format.ts';
import { UpstreamSecrets } from '../directory/upstream-secrets.ts';
import { isReported, usageOfStream } from '../operations/text/produced-usage.ts';
import type { RequestRecord } from '../ports/request-log.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import type { StreamResult } from './attempt.ts';
import { ClientStream } from './client-stream.ts';
import type { Streaming } from './operation.ts';
import { Outcome } from './outcome.ts';
import type { RecordPorts } from './record-ports.ts';
import { ResponseMemory, UnproductiveBytes } from './response-memory.ts';

const idle = new Failure('timeout_error', { message: 'The upstream fell silent.', kind: 'idle_timeout' });
const KEY = 'key-of-the-channel';
const nothing = () => {};
const utf8 = new TextEncoder();
const call: InboundCall = { purpose: 'generate', model: null, stream: null, framing: 'sse' };

const said = (text: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ model: 'up', choices: [{ index: 0, delta: { content: text }, finish_reason: finish }] })}\n\n`;
/** Returns the expected quantities. There may be others, but no reasoning tokens. */
const withOutput = (amount: number) => [{ unit: 'input_token' }, { unit: 'output_token', amount }, ONE_REQUEST];

const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 5 } })}\n\n`;
const done = 'data: [DONE]\n\n';

/** Makes a stream whose upstream sends these pieces and then stays silent forever. */
function streaming(...pieces: readonly string[]) {
  return streamingIn('openai-chat', call, pieces);
}

interface Setting {
  readonly keep?: (answerJson: string) => Promise<void>;
  /** The failure that the upstream sends after the last piece. */
  readonly end?: Failure;
  /** Whether the format has no error frame. */
  readonly isBinary?: boolean;
}

function bodyOf(format: string) {
  const prompt = 'Say hello in three languages.';
  if (format === 'gemini') return { contents: [{ parts: [{ text: prompt }] }] };
  if (format === 'openai-responses') return { model: 'm', stream: true, input: prompt };
  return { model: 'm', max_tokens: 9, stream: true, messages: [{ role: 'user', content: prompt }] };
}

function streamingIn(
  name: string,
  inbound: InboundCall,
  pieces: readonly string[],
  { keep, end = idle, isBinary = false }: Setting = {},
) {
  const records: RequestRecord[] = [];
  const problems: unknown[] = [];
  let nowMs = 0;
  const ports = {
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs++ },
    log: { append: (record: RequestRecord) => records.push(record) },
    metrics: { requestStarted: nothing, requestFinished: nothing },
    logger: { info: nothing, warn: nothing, error: (fields: unknown) => problems.push(fields) },
  } as unknown as RecordPorts;
  const format = clientFormats.get(name);
  if (!format) throw new Error('there is no such format');
  const request = format.parseRequest(utf8.encode(JSON.stringify(bodyOf(name))), inbound);
  if (request instanceof Failure) throw new Error(request.message);
  const relay = format.relayStream(request, {
    publicModel: 'public',
    routing: { json: '{}' },
    created: 1,
    newId: String,
  });
  const rest = [...pieces];
  const quiet = new UnproductiveBytes(new ResponseMemory({ maxHeldBytes: 1_000_000 }).open('acme', nothing));
  const first = relay.push(utf8.encode(rest.shift() ?? ''));
  const answered: string[] = [];
  const waits: (number | undefined)[] = [];
  const read = async (withinMs?: number) => {
    waits.push(withinMs);
    const piece = rest.shift();
    return piece === undefined ? end : utf8.encode(piece);
  };
  const readAll = async () => utf8.encode(rest.splice(0).join(''));
  const answer = {
    kind: 'stream',
    relay,
    first,
    quiet,
    answering: () => answered.push('answering'),
    body: { read, readAll, cancel: nothing },
  } as unknown as StreamResult<StreamRelay>;
  const streaming: Streaming<StreamRelay> = {
    contentType: () => format.streamContentType(request),
    ping: format.ping,
    encodeFailure: (failure, place) => (isBinary ? null : format.encodeStreamFailure(failure, request, place)),
    isReported,
    billableOf: (said) =>
      said.usage !== null && isReported(said)
        ? billableOf(said.usage)
        : usageOfStream({ accountId: 'acme', format, request }, said).then(billableOf),
  };
  const recorded = Promise.withResolvers<void>();
  const outcome = new Outcome(ports, sampleIdentity(), 'openai-chat', recorded.resolve);
  outcome.admittedAs({ account: sampleAccount(), credential: sampleCredential() });
  const over: string[] = [];
  const failures: (Failure | null)[] = [];
  const secrets = new UpstreamSecrets({ apiKey: KEY, settings: {}, baseUrl: null });
  const stream = new ClientStream(answer, streaming, outcome, secrets, keep ?? null, (failure) => {
    over.push(`over with ${records.length} records`);
    failures.push(failure);
  });
  const readText = async () => {
    let text = '';
    for (let piece = await stream.next(); piece !== null; piece = await stream.next())
      text += new TextDecoder().decode(piece);
    return text;
  };
  return { stream, readAll: readText, waits, answered, records, over, failures, problems, recorded: recorded.promise };
}

describe('a stream without error frames', () => {
  test('that fails midway is cut, and costs what was produced', async () => {
    const setting = { isBinary: true };
    const { stream, readAll, records, recorded } = streamingIn(
      'openai-chat',
      call,
      [said('Hello, '), said('you')],
      setting,
    );
    expect(await readAll()).not.toContain('error');
    expect(stream.isCut).toBe(true);
    await recorded;
    expect(records).toMatchObject([{ errorCode: 'timeout_error', billable: { source: 'estimated' } }]);
  });

  test('that ends normally is not cut', async () => {
    const pieces = [said('Hello', 'stop'), usage, done];
    const { stream, readAll } = streamingIn('openai-chat', call, pieces, { isBinary: true });
    await readAll();
    expect(stream.isCut).toBe(false);
  });

  test('is cut at shutdown', async () => {
    const { stream } = streamingIn('openai-chat', call, [said('Hello, '), said('you')], { isBinary: true });
    await stream.next();
    stream.cutOff(idle);
    expect(await stream.next()).toBeNull();
    expect(stream.isCut).toBe(true);
  });
});

describe('a stream', () => {
  test('that fails midway ends with an error frame, and costs what was produced', async () => {
    const { readAll, records, recorded } = streaming(said('Hello, '), said('bonjour'));
    expect(await readAll()).toContain('data: {"error":');
    await recorded;
    expect(records).toMatchObject([
      { errorCode: 'timeout_error', billable: { source: 'estimated', quantities: withOutput(4) } },
    ]);
    expect(amountOf(records[0]?.billable ?? NOTHING_BILLABLE, 'input_token')).toBeGreaterThan(8);
  });

  test('whose upstream lingers after the end mark gets no error added to the complete response', async () => {
    const { readAll, records } = streaming(said('Hello', 'stop'), usage, done);
    expect(await readAll()).toEndWith(done);
    expect(records).toMatchObject([{ failureKind: null, billable: sampleBillable({ input: 7, output: 5 }) }]);
  });

  test('whose client disconnects at the end mark is complete, as is its record', async () => {
    const hasty = streaming(said('Hello'), said('', 'stop') + usage + done);
    await hasty.stream.next();
    expect(new TextDecoder().decode((await hasty.stream.next()) ?? undefined)).toEndWith(done);
    expect([hasty.over, hasty.failures]).toEqual([['over with 0 records'], [null]]);
    hasty.stream.clientLeft();
    expect(hasty.records).toMatchObject([
      { failureKind: null, clientGone: false, billable: sampleBillable({ input: 7, output: 5 }) },
    ]);
  });

  test('delivers what follows the end mark to a client that reads on', async () => {
    const inbound: InboundCall = { purpose: 'generate', model: null, stream: null, framing: 'sse' };
    const start = 'event: message_start\ndata: {"type":"message_start","message":{}}\n\n';
    const stop = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
    const { readAll, records, recorded } = streamingIn('anthropic-messages', inbound, [start, stop, ': bye\n\n']);
    expect(await readAll()).toEndWith('}\n\n: bye\n');
    await recorded;
    expect(records).toMatchObject([{ failureKind: null }]);
  });

  test('that stops after a final event without an end mark is complete', async () => {
    const chunkOf = (text: string, finishReason?: string) =>
      `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason }], usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 } })}\r\n\r\n`;
    const inbound: InboundCall = { purpose: 'generate', model: 'm', stream: true, framing: 'sse' };
    const { readAll, records, waits } = streamingIn('gemini', inbound, [chunkOf('Hello, '), chunkOf('you.', 'STOP')]);
    expect(await readAll()).toContain('"_routing"');
    expect(waits).toEqual([undefined, 15_000]);
    expect(records).toMatchObject([{ failureKind: null, billable: { source: 'reported', quantities: withOutput(5) } }]);
  });

  test('whose upstream quotes its key in a failure has it redacted', async () => {
    const end = new Failure('upstream_error', { kind: 'reset', message: `The key ${KEY} is used up.` });
    const { readAll, failures, recorded } = streamingIn('openai-chat', call, [said('Hello')], { end });
    const text = await readAll();
    await recorded;
    expect(text).toContain('is used up.');
    expect(JSON.stringify([text, failures])).not.toContain(KEY);
    expect(failures).toMatchObject([{ kind: 'reset' }]);
  });

  test('that has to be stored is stored once, before its end is sent', async () => {
    const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'up', output: [] };
    const named = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
    const created = named('response.created', { sequence_number: 0, response: { ...response, status: 'in_progress' } });
    const completed = named('response.completed', {
      sequence_number: 1,
      response: { ...response, usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12 } },
    });
    const kept: unknown[] = [];
    const keeping = Promise.withResolvers<void>();
    const keep = (answerJson: string) => {
      kept.push(JSON.parse(answerJson));
      return keeping.promise;
    };
    const made = streamingIn('openai-responses', call, [created, completed], { keep });
    await made.stream.next();
    const end = made.stream.next();
    expect(await Promise.race([end, pause()])).toBeUndefined();
    expect(kept).toMatchObject([{ id: 'resp_1', model: 'public' }]);
    expect(made.over).toEqual([]);
    keeping.resolve();
    expect(new TextDecoder().decode((await end) ?? undefined)).toContain('response.completed');
    await made.recorded;
    expect([kept.length, made.failures]).toEqual([1, [null]]);
  });

  test('that ends normally without a usage report is estimated', async () => {
    const { readAll, records, recorded } = streaming(said('Hello', 'stop'), done);
    await readAll();
    await recorded;
    expect(records).toMatchObject([
      { failureKind: null, billable: { source: 'estimated', quantities: withOutput(1) } },
    ]);
  });
});

describe('a client that disconnects', () => {
  test('before reading is charged for what was produced, and gets the error if it reads on', async () => {
    const { stream, records, recorded } = streaming(said('Hello, '), said('bonjour'), said('!'));
    await stream.next();
    await stream.next();
    stream.abandoned();
    await recorded;
    expect(records).toMatchObject([
      {
        errorCode: 'timeout_error',
        failureKind: 'client_stalled',
        billable: { source: 'estimated', quantities: withOutput(4) },
      },
    ]);
    expect(new TextDecoder().decode((await stream.next()) ?? undefined)).toContain('data: {"error":');
    expect(await stream.next()).toBeNull();
  });

  test('midway has the row record what was produced', async () => {
    const { stream, records, over, recorded, problems } = streaming(said('Hello, '), said('bonjour'), said('!'));
    await stream.next();
    await stream.next();
    stream.clientLeft();
    expect(over).toEqual(['over with 0 records']);
    expect(await stream.next()).toBeNull();
    await recorded;
    expect(records).toMatchObject([
      {
        clientGone: true,
        errorCode: 'client_closed_request',
        billable: { source: 'estimated', quantities: withOutput(4) },
      },
    ]);
    // This test's clock advances by one at every reading, so this value shows that the count was not awaited.
    expect(records[0]?.latencyMs).toBe(2);
    expect(problems).toEqual([]);
  });

  test('after the usage report has the row record it at once', async () => {
    const { stream, records, over } = streaming(said('Hello', 'stop'), usage);
    await stream.next();
    const unread = stream.next();
    await Bun.sleep(0);
    stream.clientLeft();
    await unread;
    expect(over).toEqual(['over with 0 records']);
    expect(records).toMatchObject([{ billable: sampleBillable({ input: 7, output: 5 }) }]);
  });

  test('twice is recorded once', async () => {
    const { stream, records, recorded } = streaming(said('Hello'));
    stream.clientLeft();
    stream.clientLeft();
    await recorded;
    expect(records).toHaveLength(1);
  });
});
