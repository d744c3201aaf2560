import { describe, expect, test } from 'bun:test';
import { completionTokens, promptTokens, type Usage } from '../../src/domain/exchange/usage.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { type Asked, isReported, usageOfStream } from '../../src/engine/operations/text/produced-usage.ts';
import { TranslatedStream } from '../../src/engine/operations/text/translated-stream.ts';
import { clientFormats } from '../../src/formats/index.ts';
import type { InboundCall } from '../../src/formats/text/client-request.ts';
import type { ClientFormat, StreamRelay } from '../../src/formats/text/format.ts';
import { type Recording, type RecordingRow, readRecording } from '../shared/recordings.ts';

/*
 * Streams that are cut after each of their events in turn, relayed and translated: the estimated usage grows
 * with the stream, comes close to the provider's final report, and is replaced by the report.
 */

const utf8 = new TextEncoder();
const text = new TextDecoder();
const SOURCE = { provider: 'p', channel: 'c', quirks: [] };
const OTHER_BLOCKS = ['reasoning-start', 'tool-call-start', 'citation', 'unknown', 'media'] as const;
/** `reasoning.mode: pro`: 36 tokens for `ACK-1`, none of which is reported as reasoning. */
const WITH_HIDDEN_THOUGHTS = 'openai/responses/006-five-turn-streaming-metadata-roundtrip.json';
const FORMATS = [
  { format: 'openai-chat', providers: ['openai', 'groq', 'mistral', 'deepseek', 'openrouter', 'xai'], api: 'chat' },
  { format: 'anthropic-messages', providers: ['anthropic'], api: 'messages' },
  { format: 'openai-responses', providers: ['openai', 'azure', 'xai'], api: 'responses' },
  { format: 'gemini', providers: ['gemini', 'vertex'], api: 'generateContent' },
] as const;
/** The most places at which a long stream is cut. */
const MAX_CUTS = 40;
/** In a shorter response, an error of one token would be too large a share. */
const MIN_TOKENS = 30;
/** The estimate may fall slightly when further text changes how a word is split into tokens. */
const MAX_FALL = 2;

interface Case {
  readonly file: string;
  readonly events: readonly Uint8Array[];
  readonly asked: Asked;
}

function formatOf(name: string): ClientFormat {
  const format = clientFormats.get(name);
  if (!format) throw new Error(`there is no format ${name}`);
  return format;
}

function casesOf(
  exchanges: readonly RecordingRow[],
  { format: name, providers, api }: (typeof FORMATS)[number],
): Case[] {
  const wanted = new Set<string>(providers);
  const rows = exchanges.filter((row) => row.stream && row.status === 200 && row.api === api);
  return rows
    .filter((row) => wanted.has(row.provider))
    .flatMap((row) => {
      const recording = readRecording(row);
      const asked = askedIn(formatOf(name), recording);
      const events = recording.responseBody.split(/(?<=\r?\n\r?\n)/).map((event) => utf8.encode(event));
      return asked === null || events.length < 4 ? [] : [{ file: row.file, events, asked }];
    });
}

/** `null` if the request was not recorded. */
function askedIn(format: ClientFormat, { requestBody }: Recording): Asked | null {
  if (requestBody === null) return null;
  const call: InboundCall = { purpose: 'generate', model: null, stream: true, framing: 'sse' };
  const gemini = format.name === 'gemini' ? { ...call, model: 'm' } : { ...call, stream: null };
  const request = format.parseRequest(utf8.encode(requestBody), gemini);
  // A request that continues a response stored by the provider does not contain its prompt.
  if (request instanceof Failure || format.decodeRequest(request) instanceof Failure) return null;
  return { accountId: 'acme', format, request };
}

function relayed({ asked }: Case): StreamRelay {
  return asked.format.relayStream(asked.request, {
    publicModel: 'public',
    routing: { json: '{}' },
    created: 1,
    newId: String,
  });
}

/** Returns the same stream, translated for a client of another format. */
function translated({ asked }: Case): StreamRelay {
  const to = formatOf(asked.format.name === 'openai-chat' ? 'anthropic-messages' : 'openai-chat');
  const request = asked.format.decodeRequest(asked.request);
  if (request instanceof Failure) throw new Error(request.message);
  const encoder = to.encodeStream({
    publicModel: 'public',
    routing: { json: '{}' },
    parsed: { ...asked.request, body: {} },
    request,
    created: 0,
    estimatedPromptTokens: () => 8,
    newId: (prefix) => `${prefix}1`,
  });
  const decoder = asked.format.decodeStream(SOURCE);
  return new TranslatedStream(decoder, encoder, null);
}

interface Cut {
  readonly usage: Usage;
  readonly isReported: boolean;
}

async function cutAfter(one: Case, relay: StreamRelay, count: number): Promise<Cut> {
  for (const event of one.events.slice(0, count)) relay.push(event);
  const reported = isReported(relay);
  const usage = reported && relay.usage !== null ? relay.usage : await usageOfStream(one.asked, relay);
  return { usage, isReported: reported };
}

function cutPoints({ events }: Case): number[] {
  const step = Math.max(1, Math.floor(events.length / MAX_CUTS));
  const points = events.map((_event, index) => index + 1);
  // The last events, which include the report, are all checked.
  return points.filter((count) => count % step === 0 || count > events.length - 6);
}

async function cutsOf(one: Case, make: (one: Case) => StreamRelay): Promise<Cut[]> {
  const cuts: Cut[] = [];
  for (const count of cutPoints(one)) cuts.push(await cutAfter(one, make(one), count));
  return cuts;
}

/** Returns the provider's final report. */
function lastReport(one: Case): Usage | null {
  const relay = relayed(one);
  for (const event of one.events) relay.push(event);
  relay.end();
  return relay.failure === null ? relay.usage : null;
}

/** Defines the tests of the usage of a stream that is cut after each of its events. */
export function testCutStreams(exchanges: readonly RecordingRow[]): void {
  describe('a stream that is cut after each of its events', () => {
    for (const room of FORMATS) {
      const cases = casesOf(exchanges, room);
      for (const [lane, make] of [
        ['relayed', relayed],
        ['translated', translated],
      ] as const) {
        test(`${room.format}, ${lane}`, async () => {
          const problems: string[] = [];
          let compared = 0;
          for (const one of cases) {
            const report = lastReport(one);
            const cuts = await cutsOf(one, make);
            problems.push(...growthProblems(one, cuts), ...reportProblems(one, cuts, report));
            const factor = report === null ? null : await factorOf(one, make, report);
            if (factor === null) continue;
            compared++;
            if (factor < 0.6 || factor > 1.6) problems.push(`${one.file}: ${factor} of what was reported`);
          }
          expect(problems).toEqual([]);
          expect(compared).toBeGreaterThan(0);
        }, 600_000);
      }
    }
  });
}

/** Before the report, the estimate must not fall as the stream grows. */
function growthProblems({ file }: Case, cuts: readonly Cut[]): string[] {
  const estimated = cuts.filter(({ isReported: has }) => !has).map(({ usage }) => completionTokens(usage));
  return estimated.every((tokens, index) => tokens >= (estimated[index - 1] ?? 0) - MAX_FALL)
    ? []
    : [`${file}: falls: ${estimated}`];
}

function reportProblems({ file }: Case, cuts: readonly Cut[], report: Usage | null): string[] {
  const problems: string[] = [];
  const last = cuts.at(-1);
  if (report !== null && last && completionTokens(report) > 0) {
    const { usage } = last;
    if (usage.source !== 'reported' || completionTokens(usage) !== completionTokens(report))
      problems.push(`${file}: ${completionTokens(usage)} (${usage.source}) is not ${completionTokens(report)}`);
  }
  if (cuts.some(({ usage }) => promptTokens(usage) === 0)) problems.push(`${file}: no prompt`);
  return problems;
}

const USAGE = /"usage(?:Metadata)?"(?=\s*:)/g;

/**
 * Resolves to the estimate without any report, divided by the report; `null` if the stream does not show
 * everything that counts.
 */
async function factorOf(one: Case, make: (one: Case) => StreamRelay, report: Usage): Promise<number | null> {
  if (report.output < MIN_TOKENS || report.reasoning > 0 || !isTextAlone(one) || one.file === WITH_HIDDEN_THOUGHTS)
    return null;
  const relay = make(one);
  for (const event of one.events) relay.push(utf8.encode(text.decode(event).replace(USAGE, '"x_usage"')));
  relay.end();
  expect([one.file, relay.usage, relay.failure]).toEqual([one.file, null, null]);
  return completionTokens(await usageOfStream(one.asked, relay)) / completionTokens(report);
}

/** Calls, citations and hidden thoughts use more tokens than the stream shows. */
function isTextAlone({ events, asked }: Case): boolean {
  const decoder = asked.format.decodeStream(SOURCE);
  const parts = [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
  const blocks = new Set(parts.map(({ type }) => type));
  return blocks.has('text-delta') && !OTHER_BLOCKS.some((type) => blocks.has(type));
}
