import type { Principal } from '../../../../../domain/access/principal.ts';
import { SAMPLED, type TraceContext } from '../../../../../domain/trace/trace-context.ts';
import type { Scripted } from '../../../../call/testing/fake-upstream.ts';
import { chatAnswer, chatText, refusal, reset, responsesAnswer, sse } from '../../../../call/testing/sample-answers.ts';
import { type Gateway, gateway, told } from '../../../../call/testing/sample-gateway.ts';
import { MODEL } from '../../../../call/testing/sample-routes.ts';
import { sampleAccount, sampleCredential } from '../../../../ports/testing/samples.ts';
import type { TracedCall, Tracing } from '../../../../ports/tracing.ts';
import { PreparedKey, type PreparedText, PreparedTexts } from '../prepared-texts.ts';
import { goodAnswer } from './answers.ts';
import { CHOICES, PLAIN } from './channels.ts';

/*
 * Sends generated requests through two gateways that differ in one thing: the general one never finds a prepared request. Everything that
 * leaves them must be equal: the requests to the upstream, the responses, what is reserved and charged, records, log lines, metrics and traces.
 */

/** Counts how many requests were prepared. */
class CountingTexts extends PreparedTexts {
  hits = 0;
  translated = 0;

  override of(...by: Parameters<PreparedTexts['of']>): PreparedKey {
    const key = super.of(...by);
    const count = (found: PreparedText) => {
      this.hits++;
      if (found.translated !== null) this.translated++;
    };
    return new Proxy(key, {
      get(target, name) {
        if (name !== 'uses') return bound(target, Reflect.get(target, name));
        return (found: PreparedText) => {
          count(found);
          target.uses(found);
        };
      },
    });
  }
}

function bound(target: object, value: unknown): unknown {
  return typeof value === 'function' ? value.bind(target) : value;
}

class NoTexts extends PreparedTexts {
  override of(...[principal, directory]: Parameters<PreparedTexts['of']>): PreparedKey {
    return new PreparedKey(principal, directory);
  }
}

type Random = () => number;

function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function oneOf<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('there is nothing to choose from');
  return value;
}

const PRINCIPALS: readonly (() => Principal)[] = [
  ...Array(4).fill(() => ({ account: sampleAccount(), credential: sampleCredential() })),
  () => ({ account: sampleAccount(), credential: sampleCredential({ models: ['another-model'] }) }),
  () => ({ account: sampleAccount({ billing: 'prepaid' }), credential: sampleCredential({ id: 'other-key' }) }),
];

const TEXTS = [
  ...[
    '',
    'Hi',
    'Say hello.',
    'é 😀 \u2028',
    'a "quoted" \\ text\n\twith \u0001 and \u007f',
    'x'.repeat(300),
    '…',
    '\u0000',
  ],
  ...['{"model":"not this"}', '"content":"nor this"', 'swy1.', '</s>', 'data: [DONE]', 'y'.repeat(5_000)],
  ...['user', 'up', ' ', '\n\t', '\u00a0\ufeff', ' spaced ', 'ends with a break\n', '\ud83d', 'Hello', 'Hello'],
];
/** Texts as they cannot be written by `JSON.stringify`: unusual escapes, invalid ones, and control characters. */
const WRITTEN_TEXTS = [
  ...['"\\u0041\\/\\ud83d\\ude00"', '"\\ud83d alone"', '"\\x41"', '"\\u00g0"', '"tab\there"', '"cut\\u12"', '"a\\"'],
  ...['"\\\\"', '"\\\\\\""', '"\\u005C"', '"open'],
];
const ROLES = ['user', 'user', 'user', 'system', 'assistant', 'developer', 'tool', 'nobody'];
const MEMBERS = [
  ...['"max_tokens":9', '"max_tokens": 2048', '"max_completion_tokens":50', '"temperature":0.7', '"temperature":1.50'],
  ...['"top_p":1', '"n":2', '"n":1', '"stop":"x"', '"stop":["a","b"]', '"seed":7', '"seed":12345678901234567890'],
  ...['"stream":true', '"stream":true', '"stream":false', '"stream_options":{"include_usage":true}', '"logprobs":true'],
  ...['"stream_options":null', '"temperature":9', '"max_tokens":"many"', '"user":"u-1"', '"metadata":{"team":"a"}'],
  ...[
    '"response_format":{"type":"json_object"}',
    '"x_unknown":{"content":"c"}',
    '"tools":[]',
    '"cache_control":{"type":"no_store"}',
  ],
  ...[
    '"usage":{"include":true}',
    '"safety_identifier":"s"',
    '"models":["another-model"]',
    '"store":true',
    '"Model":"variant"',
  ],
  ...[
    '"presence_penalty":-1',
    '"x":[{"content":"an item"}]',
    '"prediction":{"type":"content","content":"p"}',
    '"temperature":1e2',
  ],
  ...['"max_tokens":9,"max_tokens":10', '"session_id":"s"', '"reasoning_effort":"low"', '"web_search_options":{}'],
];

/** The members of requests in Anthropic's format. */
const MESSAGES_MEMBERS = [
  ...['"system":"Be brief."', '"system":[{"type":"text","text":"Be brief."}]', '"system":"swy1."', '"system":""'],
  ...[
    '"stop_sequences":["x"," "]',
    '"top_k":5',
    '"temperature":1',
    '"thinking":{"type":"enabled","budget_tokens":1024}',
  ],
  ...[
    '"stream":true',
    '"stream":true',
    '"stream":false',
    '"metadata":{"user_id":"u"}',
    '"container":"c"',
    '"speed":"fast"',
  ],
  ...[
    '"thread":{"type":"create"}',
    '"thinking":{"type":"disabled"}',
    '"tools":[]',
    '"x_unknown":1',
    '"service_tier":"auto"',
  ],
  ...['"max_tokens":2048', '"max_tokens":0', '"cache_control":{"type":"ephemeral"}', '"seed":7', '"n":2'],
];

/** A request without the texts of its messages, which the cases of one form have differently. */
type Form = (text: () => string) => string;

function formOf(random: Random, isMessages: boolean): Form {
  const members: string[] = isMessages && random() < 0.97 ? ['"max_tokens":900'] : [];
  const count = random() < 0.5 ? 0 : Math.ceil(random() * 2);
  for (let index = 0; index < count; index++) members.push(oneOf(random, isMessages ? MESSAGES_MEMBERS : MEMBERS));
  if (random() < 0.25) members.push('"stream":true');
  const turns = random() < 0.5 ? 1 : Math.ceil(random() * 5);
  const roles = Array.from({ length: turns }, () => (random() < 0.85 ? 'user' : oneOf(random, ROLES)));
  if (random() < 0.2) roles.unshift('system');
  if (random() < 0.2) roles.push(...(random() < 0.8 ? ['assistant', 'user'] : ['assistant']));
  const name = random() < 0.04 ? '"cont\\u0065nt"' : '"content"';
  const model = random() < 0.97 ? MODEL : oneOf(random, ['no-model', '', 'pub\\u006cic-model']);
  const space = random() < 0.2 ? oneOf(random, [' ', '\n  ', '\t']) : '';
  const isPart = random() < 0.08;
  const order = random() < 0.5;
  return (text) => {
    const content = () => (isPart ? `[{"type":"text","text":${text()}}]` : text());
    const messages = roles.map((role) => `{"role":"${role}",${space}${name}:${content()}}`).join(`,${space}`);
    const all = [`"model":"${model}"`, `"messages":${space}[${messages}]`];
    return `{${(order ? [...all, ...members] : [...members, ...all.toReversed()]).join(`,${space}`)}${space}}`;
  };
}

function textOf(random: Random): string {
  return random() < 0.05 ? oneOf(random, WRITTEN_TEXTS) : JSON.stringify(oneOf(random, TEXTS));
}

const encoder = new TextEncoder();

function bytesOf(random: Random, form: Form): Uint8Array {
  const bytes = encoder.encode(form(() => textOf(random)));
  const chance = random();
  if (chance < 0.02) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  if (chance > 0.99) return bytes.slice(0, Math.floor(random() * bytes.length));
  return chance > 0.98 ? Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]) : bytes;
}

function answersOf(
  random: Random,
  stream: boolean,
  wire: string,
  thinks: boolean,
): readonly ReturnType<typeof reset | typeof refusal>[] {
  const chance = random();
  const text = oneOf(random, ['Hello', 'Hello', 'é', '']);
  const lacksUsage = wire === 'openai-chat' && !stream && random() < 0.01;
  const good: Scripted = lacksUsage
    ? chatAnswer(text, { usage: null, service_tier: 'default' })
    : goodAnswer(wire, stream, text, thinks && random() < 0.2);
  if (chance < 0.96) return [good];
  if (chance < 0.97) return [refusal(429, 'Slow down.'), good];
  if (chance < 0.98) return [reset(), good];
  if (chance < 0.985) return [refusal(404, 'No such address.'), oneOf(random, [good, responsesAnswer()])];
  if (chance < 0.99) return [goodAnswer(wire, !stream, text, false)];
  if (chance < 0.998) return [refusal(400, 'Wrong.')];
  return [sse(chatText('cut'))];
}

/** The headers of all requests of one form in Anthropic's format. */
const MESSAGES_HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  ...Array(5).fill({ 'anthropic-version': '2023-06-01' }),
  { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'context-1m-2025-08-07' },
  { 'anthropic-version': 'not a version', 'anthropic-beta': 'x-1' },
  { 'anthropic-beta': 'x'.repeat(300) },
];

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  ...Array(20).fill({}),
  ...Array(20).fill({}),
  { 'x-switchyard-tags': 'team=b' },
  { 'x-switchyard-tags': '=' },
  { 'x-switchyard-cache': 'no_store' },
];

/** The first two prepare those that follow. */
const CASES_OF_A_FORM = 10;
/** Longer than a channel rests after failures. */
const PAUSE_MS = 3_600_000;

interface Case {
  readonly bytes: Uint8Array;
  /** The name of the client's format. */
  readonly format: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly answers: ReturnType<typeof answersOf>;
}

type TracedGateway = Gateway & { readonly traces: unknown[] };

/** Sends a request, and returns everything that left the gateway meanwhile. */
async function effectsOf(made: TracedGateway, { bytes, format, headers, answers }: Case): Promise<unknown> {
  const { upstream, billing, records, lines, attempts, steps, limits, suspected, probed, waits, traces } = made;
  const seen = [traces, records, lines, attempts, steps, limits.ended, suspected, probed, waits, upstream.sent];
  for (const list of [...seen, billing.requests, billing.reservations]) list.length = 0;
  for (const channel of ['chat-0', 'chat-1']) upstream.clear(channel).script(channel, ...answers);
  const outbound = await made.ask({}, { bytes, format, headers });
  const text = await told(outbound);
  await settled(made);
  const sent = upstream.sent.map(({ request: { url, method, headers: own, body } }) => {
    return {
      url,
      method,
      headers: own,
      body: body instanceof Uint8Array ? Buffer.from(body).toString('latin1') : null,
    };
  });
  const reserved = billing.requests.map(({ bounds, prices: _, principal: __, ...rest }) => {
    const usage = { source: 'reported' as const, quantities: [{ unit: 'input_token' as const, amount: 40_000 }] };
    return { ...rest, certain: bounds.certain(), plausible: bounds.plausible(1), is: bounds.isPlausible(usage, 0) };
  });
  const settledFor = billing.reservations.map(({ settled: of, releases }) => ({ of, releases }));
  const status = outbound.kind === 'whole' ? outbound.status : 'stream';
  const all = { status, headers: outbound.headers, text, sent, reserved, settledFor };
  return { ...all, seen: seen.slice(0, -1) };
}

async function settled({ calls }: Gateway): Promise<void> {
  // Usage that the upstream did not report is counted by another thread.
  while (calls.inFlight > 0) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** The first case in which the paths differ; `null` if they never did. */
export interface Comparison {
  readonly cases: number;
  /** The number of requests that were prepared. */
  readonly prepared: number;
  /** The number of those that were translated. */
  readonly translated: number;
  readonly difference: { readonly body: string; readonly prepared: unknown; readonly general: unknown } | null;
}

/** Notes the traces that would be exported. Each is read at once, before its call is gone. */
class NotedTraces implements Tracing {
  readonly exported: unknown[] = [];
  readonly wantsAddresses = true;
  private begun = 0;

  constructor(private readonly kind: TraceKind) {}

  wantsContent(): boolean {
    return this.kind === 'with content';
  }

  begin(): TraceContext {
    const spanId = String(++this.begun).padStart(16, '0');
    return { traceId: 'a'.repeat(32), spanId, flags: this.kind === 'sampled out' ? 0 : SAMPLED, state: null };
  }

  isExported(): boolean {
    return true;
  }

  export({ exchange, ...call }: TracedCall): void {
    const { hasContent, request, answerType } = exchange ?? {};
    this.exported.push({ ...call, hasContent, answerType, request: request ? Buffer.from(request).toString() : null });
    exchange?.release();
  }
}

/** Traces that are sampled out collect what is needed if their call fails. */
const TRACES = ['none', 'sampled out', 'sampled', 'with content'] as const;
type TraceKind = (typeof TRACES)[number];

/** A gateway with a directory and a health memory of its own. */
function pathOf(texts: PreparedTexts, traces: TraceKind) {
  const tracing = new NotedTraces(traces);
  const now = {
    directory: PLAIN.make(),
    principal: { account: sampleAccount(), credential: sampleCredential() },
  };
  const made = gateway({
    ...{ directory: () => now.directory, principals: { find: () => now.principal } },
    ...(traces !== 'none' && { tracing }),
  });
  Object.assign(made.services, { prepared: texts });
  return { now, made: { ...made, traces: tracing.exported } };
}

/** An account that has used the cache takes the general path from then on, so the gateways are new after this many cases. */
const CASES_OF_A_GATEWAY = 200;

/** Compares the prepared and the general path in this many cases, or until they differ. */
export async function compareTwoPaths(seed: number, most: number): Promise<Comparison> {
  const random = randomFrom(seed);
  let cases = 0;
  let prepared = 0;
  let translated = 0;
  while (cases < most) {
    const some = await compareSome(random, Math.min(CASES_OF_A_GATEWAY, most - cases));
    cases += some.cases;
    prepared += some.prepared;
    translated += some.translated;
    if (some.difference !== null) return { cases, prepared, translated, difference: some.difference };
  }
  return { cases, prepared, translated, difference: null };
}

async function compareSome(random: Random, most: number): Promise<Comparison> {
  const texts = new CountingTexts();
  const traces = oneOf(random, TRACES);
  const fast = pathOf(texts, traces);
  const usual = pathOf(new NoTexts(), traces);
  let { wire } = PLAIN;
  // A gateway that remembers state restores it in earlier answers, on the general path.
  const thinks = random() < 0.4;
  const renewDirectory = () => {
    const choice = oneOf(random, CHOICES);
    wire = choice.wire;
    for (const { now } of [fast, usual]) now.directory = choice.make();
  };
  let cases = 0;
  while (cases < most) {
    if (random() < 0.2) renewDirectory();
    for (const { made } of [fast, usual]) made.clock.advance(PAUSE_MS);
    if (random() < 0.1) {
      const make = oneOf(random, PRINCIPALS);
      for (const { now } of [fast, usual]) now.principal = make();
    }
    const isMessages = random() < 0.3;
    const form = formOf(random, isMessages);
    const own = isMessages ? oneOf(random, MESSAGES_HEADERS) : {};
    const format = isMessages ? 'anthropic-messages' : 'openai-chat';
    const isStreamed = form(() => '""').includes('"stream":true');
    for (let repetition = 0; repetition < CASES_OF_A_FORM && cases < most; repetition++) {
      if (random() < 0.01) renewDirectory();
      const one = {
        bytes: bytesOf(random, form),
        format: random() < 0.02 ? oneOf(random, ['openai-completions', 'openai-chat', 'anthropic-messages']) : format,
        headers: { ...oneOf(random, HEADERS), ...(random() < 0.02 ? {} : own) },
        answers: answersOf(random, isStreamed, wire, thinks),
      };
      const prepared = await effectsOf(fast.made, one);
      const general = await effectsOf(usual.made, one);
      cases++;
      if (Bun.deepEquals(prepared, general)) continue;
      const body = Buffer.from(one.bytes).toString();
      return { cases, prepared: texts.hits, translated: texts.translated, difference: { body, prepared, general } };
    }
  }
  return { cases, prepared: texts.hits, translated: texts.translated, difference: null };
}
