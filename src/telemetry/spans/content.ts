import { isMedia, type Message, type Part } from '../../domain/exchange/part.ts';
import type { Candidate, ExchangeResponse, FinishReason } from '../../domain/exchange/response.ts';
import { ResponseCollector } from '../../domain/exchange/response-collector.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { TracedCall, TracedExchange } from '../../engine/ports/tracing.ts';
import { clientFormats } from '../../formats/index.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import { GEN_AI, REQUEST } from '../names.ts';
import { readEnds } from './answer-ends.ts';
import type { Attributes } from './span.ts';

/** Finish reasons as the conventions spell them. */
const FINISH: Readonly<Record<FinishReason, string>> = {
  ...{ stop: 'stop', length: 'length', 'tool-calls': 'tool_call', 'content-filter': 'content_filter' },
  ...{ pause: 'pause', other: 'other' },
};

/** The answer is in the client's own format, whose decoder expects the provider that answered. */
const SOURCE = { provider: '', channel: '', quirks: [] };
const MOST_BYTES = 2 ** 24;

/**
 * Returns a function that reads the prompt and the answer of a call, in the client's format, as attributes: for an account with content all
 * of it, otherwise the answer's id and finish reasons. Media are never in it. Never throws.
 * @param mostBytes bounds each attribute
 */
export function contentReader(mostBytes: number): (call: TracedCall) => Attributes | null {
  return ({ exchange, record, line }) => {
    const format = clientFormats.get(record.format);
    if (exchange === null || format === undefined) return null;
    const attributes: Attributes = {};
    try {
      if (!exchange.hasContent) return endsOf(exchange);
      const answer = answerOf(format, exchange);
      if (answer !== null) describe(attributes, answer, mostBytes);
      prompt(attributes, { format, exchange, path: line?.path ?? '' }, mostBytes);
      if (exchange.isTooLarge) attributes[REQUEST.contentOmitted] = 'too_large';
    } catch {
      attributes[REQUEST.contentOmitted] = 'unreadable';
    }
    return attributes;
  };
}

// ---- without content

/** Returns the id and the finish reasons, which stand at the beginning and the end of an answer in every format. */
function endsOf({ ends: [head, tail] }: TracedExchange): Attributes {
  const attributes: Attributes = {};
  const { id, finishReasons } = readEnds(textOf(head), textOf(tail));
  if (id !== null) attributes[GEN_AI.responseId] = id;
  if (finishReasons.length > 0) attributes[GEN_AI.finishReasons] = finishReasons;
  return attributes;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

// ---- with content

function answerOf(format: ClientFormat, { answer, answerType }: TracedExchange): ExchangeResponse | null {
  if (answer === null || answer.length === 0) return null;
  if (!answerType?.includes('event-stream')) {
    const decoded = format.decodeAnswer(answer, SOURCE);
    return decoded instanceof Failure ? null : decoded;
  }
  const decoder = format.decodeStream(SOURCE);
  const collector = new ResponseCollector(MOST_BYTES);
  for (const part of [...decoder.push(answer), ...decoder.end()]) collector.see(part);
  return collector.response;
}

function describe(attributes: Attributes, { id, candidates }: ExchangeResponse, mostBytes: number): void {
  if (id !== null) attributes[GEN_AI.responseId] = id;
  attributes[GEN_AI.finishReasons] = candidates.map(finishOf);
  const messages = candidates.map((candidate) => ({
    ...{ role: 'assistant', parts: candidate.parts, finish_reason: finishOf(candidate) },
  }));
  attributes[GEN_AI.outputMessages] = bounded(messages, mostBytes);
}

function finishOf({ finish }: Candidate): string {
  return FINISH[finish.unified];
}

interface Prompt {
  readonly format: ClientFormat;
  readonly exchange: TracedExchange;
  readonly path: string;
}

function prompt(attributes: Attributes, { format, exchange, path }: Prompt, mostBytes: number): void {
  if (exchange.request === null) return;
  const endpoint = format.endpoints.find((one) => one.path === path || one.path.endsWith('*')) ?? format.endpoints[0];
  const call = endpoint?.call(`http://gateway${path}`);
  if (call === undefined || call instanceof Failure) return;
  const parsed = format.parseRequest(exchange.request, call);
  const request = parsed instanceof Failure ? parsed : format.decodeRequest(parsed);
  if (request instanceof Failure) return;
  const isInstruction = ({ role }: Message) => role === 'system' || role === 'developer';
  const instructions = request.messages.filter(isInstruction).flatMap(({ parts }) => parts);
  if (instructions.length > 0)
    attributes[GEN_AI.systemInstructions] = bounded([{ parts: instructions }], mostBytes, true);
  const messages = request.messages.filter((message) => !isInstruction(message));
  attributes[GEN_AI.inputMessages] = bounded(messages, mostBytes);
}

interface SaidMessage {
  readonly role?: string;
  readonly parts: readonly Part[];
  readonly finish_reason?: string;
}

const LEAST_CHARACTERS = 8;
/** No message, and no part with a text, has fewer bytes as JSON beside the text. */
const LEAST_BYTES = 24;

/**
 * Returns messages as JSON text within the bound: the texts are cut to equal lengths, and then the oldest messages are left out. Most lengths
 * that do not fit are found without writing the JSON, since this blocks other work.
 */
function bounded(messages: readonly SaidMessage[], mostBytes: number, arePartsOnly = false): string {
  let kept = messages.slice(-Math.ceil(mostBytes / LEAST_BYTES));
  const lengths = kept.flatMap(({ parts }) => parts.flatMap(lengthsOf));
  const frame = (kept.length + lengths.length) * LEAST_BYTES;
  const leastBytes = (most: number) => lengths.reduce((sum, length) => sum + Math.min(length, most), frame);
  for (let most = mostBytes; ; most = Math.floor(most / 2)) {
    if (most >= LEAST_CHARACTERS && leastBytes(most) > mostBytes) continue;
    if (most < LEAST_CHARACTERS) kept = kept.slice(Math.ceil(kept.length / 2));
    const said = kept.map((message) => written(message, Math.max(most, LEAST_CHARACTERS)));
    const json = JSON.stringify(arePartsOnly ? said.flatMap(({ parts }) => parts) : said);
    if (Buffer.byteLength(json) <= mostBytes || kept.length === 0) return json;
  }
}

function written({ role, parts, finish_reason }: SaidMessage, most: number) {
  return {
    ...(role !== undefined && { role }),
    parts: parts.map((part) => partOf(part, most)),
    ...(finish_reason !== undefined && { finish_reason }),
  };
}

function partOf(part: Part, most: number): object {
  if (isMedia(part)) return { type: part.type };
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return { type: part.type, content: cut(part.text, most) };
    case 'tool-call':
      return { type: 'tool_call', id: part.id, name: part.name, arguments: cut(part.arguments, most) };
    case 'tool-result':
      return { type: 'tool_call_response', id: part.id, response: part.content.map((inner) => partOf(inner, most)) };
    default:
      return { type: 'other' };
  }
}

/** Returns the lengths of the texts that are cut. */
function lengthsOf(part: Part): readonly number[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return [part.text.length];
    case 'tool-call':
      return [part.arguments.length];
    case 'tool-result':
      return part.content.flatMap(lengthsOf);
    default:
      return [];
  }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
