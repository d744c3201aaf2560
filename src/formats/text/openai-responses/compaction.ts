import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { applyEdits, replaceValue } from '../../shared/json/json-patch.ts';
import { MemberNames } from '../../shared/json/json-scan.ts';
import { isRecord } from '../../shared/json/record.ts';
import { membersOf } from '../../shared/request/body.ts';
import type { AnswerContext, ParsedRequest } from '../client-request.ts';
import type { ContextCompacting } from '../provider-state.ts';
import { asStored, itemsOf } from './content.ts';
import { usageJson } from './usage.ts';

/*
 * POST /v1/responses/compact where no upstream offers it: the model writes a summary, and the client stores it, sealed, as a
 * `compaction` item. When the client sends the item back, it is replaced by a message before any other code reads the
 * request.
 */

type Json = Readonly<Record<string, unknown>>;

/**
 * The beginning of all of the gateway's tokens. Its 18 bytes are exactly 24 characters of base64, independent of the next
 * bytes.
 */
const MARKER = btoa('switchyard/sealed:');
const INPUT = new MemberNames('input');

const INSTRUCTION = `The conversation so far is about to be replaced by a summary, because it has grown long. Write that summary now. It is for the assistant who goes on from here, and who will see nothing but the user's own messages and what you write. Say:
- what the user wants, with every constraint and preference that was stated;
- what has been done, and with which results;
- all that will be needed again, exactly as it was: names, paths, identifiers, numbers, code;
- what was decided, and why;
- what is unfinished, and what the next step is.
Do not continue the work, call no tools, and do not address the user. Answer with the summary alone.`;

const PREAMBLE =
  'The earlier part of this conversation was compacted. What follows is the summary that the assistant wrote of it, to go on from:';
const CUT_SHORT = '[The summary ends here, since it had reached the limit of its length.]';
const NO_OUTPUT_YET = 'This call has no output yet.';

/** The limit for one conversation. Each summary has to be decrypted before the request can be handled. */
const MOST_SUMMARIES = 200;

/** A request whose input differs from the client's: summaries are replaced by messages, or a summary is asked for. */
interface OpenedRequest extends ParsedRequest {
  /** The input in which the sealed tokens are still in place. */
  readonly sealedInput: unknown;
}

/** Returns the input in the form of the client and of the store. */
export function sealedInputOf(request: ParsedRequest | OpenedRequest): unknown {
  return 'sealedInput' in request ? request.sealedInput : request.body.input;
}

function opened(request: ParsedRequest, open: (sealed: string) => string | null): ParsedRequest | Failure {
  const { input } = request.body;
  if (!Array.isArray(input) || !input.some(isSealed)) return request;
  if (input.filter(isSealed).length > MOST_SUMMARIES) return tooMany();
  const items: unknown[] = [];
  for (const [index, item] of input.entries()) {
    const summary = isSealed(item) ? open(item.encrypted_content.slice(MARKER.length)) : item;
    if (summary === null) return notOpened(`input[${index}].encrypted_content`);
    items.push(typeof summary === 'string' ? userMessage(`${PREAMBLE}\n\n${summary}`) : summary);
  }
  const { members } = membersOf(request, INPUT);
  const json = JSON.stringify(items);
  const result: OpenedRequest = {
    ...request,
    bytes: applyEdits(
      request.bytes,
      members.map((member) => replaceValue(member, json)),
    ),
    body: { ...request.body, input: items },
    sealedInput: input,
  };
  return result;
}

function isSealed(item: unknown): item is { readonly encrypted_content: string } {
  return (
    isRecord(item) &&
    item.type === 'compaction' &&
    typeof item.encrypted_content === 'string' &&
    item.encrypted_content.startsWith(MARKER)
  );
}

function notOpened(param: string): Failure {
  return new Failure('invalid_value', {
    message: `${param} is not a summary that this gateway made for this account, or it was changed.`,
    param,
    hint: 'Send the item exactly as POST /v1/responses/compact returned it, with a key of the same account, or send the conversation.',
  });
}

function tooMany(): Failure {
  return new Failure('invalid_value', {
    message: `input has more than ${MOST_SUMMARIES} items of the type compaction, the limit of one request.`,
    param: 'input',
    hint: 'Compact the conversation again.',
  });
}

function userMessage(text: string): Json {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

/**
 * Returns the request for a summary. The client's instructions stay, and so do its tools, because the conversation has calls to
 * them. Members about the form of the answer are removed, because they do not apply to the summary.
 */
function summaryRequest(request: ParsedRequest): OpenedRequest {
  const { text: _, tool_choice: __, max_tool_calls: ___, tools, ...body } = request.body;
  const own = Array.isArray(tools) ? tools.filter(isClientsTool) : [];
  const input = [...itemsOf(body.input).flatMap(answered(body.input)), userMessage(INSTRUCTION)];
  const choice = own.length > 0 ? { tools: own, tool_choice: 'none' } : {};
  return { ...request, body: { ...body, ...choice, input, store: false }, sealedInput: sealedInputOf(request) };
}

const CLIENTS_TOOLS: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace']);

function isClientsTool(tool: unknown): boolean {
  return isRecord(tool) && CLIENTS_TOOLS.has(tool.type);
}

/** Adds missing outputs, because most providers refuse a call that has none. */
function answered(input: unknown): (item: Json) => readonly Json[] {
  const ids = new Set(itemsOf(input).flatMap(({ type, call_id: id }) => (/_output$/.test(String(type)) ? [id] : [])));
  return (item) => {
    const isPending = (item.type === 'function_call' || item.type === 'custom_tool_call') && !ids.has(item.call_id);
    return isPending ? [item, { type: `${item.type}_output`, call_id: item.call_id, output: NO_OUTPUT_YET }] : [item];
  };
}

function encodeAnswer(
  { candidates: [candidate], usage }: ExchangeResponse,
  context: AnswerContext,
  seal: (text: string) => string,
): string | Failure {
  const texts = candidate?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? [];
  const written = texts.join('').trim();
  if (written === '') return noSummary();
  const summary = candidate?.finish.unified === 'length' ? `${written}\n${CUT_SHORT}` : written;
  const { created, newId, routing } = context;
  const kept = itemsOf(sealedInputOf(context.parsed)).filter(isKept);
  const item = { id: newId('cmp_'), type: 'compaction', encrypted_content: MARKER + seal(summary) };
  const output = [...kept.map((message) => asStored(message, newId)), item];
  return (
    `{"id":${JSON.stringify(newId('resp_'))},"object":"response.compaction","created_at":${created},` +
    `"output":${JSON.stringify(output)},"usage":${usageJson(usage)},"_routing":${routing.json}}`
  );
}

/** Messages of users stay unchanged, and so do developer messages between them. */
function isKept({ type, role }: Json): boolean {
  return (type ?? 'message') === 'message' && role !== 'assistant';
}

function noSummary(): Failure {
  return new Failure('upstream_error', {
    kind: 'no_summary',
    message: 'The model returned no summary of the conversation.',
  });
}

export const compacting: ContextCompacting = { opened, summaryRequest, encodeAnswer };
