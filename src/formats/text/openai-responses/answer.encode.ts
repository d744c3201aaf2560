import { endingInText, FoundationCollector, isFounded } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Part, ReasoningPart } from '../../../domain/exchange/part.ts';
import type { Candidate, ExchangeResponse, Finish } from '../../../domain/exchange/response.ts';
import type { WrittenRouting } from '../../../domain/exchange/routing-info.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { AnswerPatch } from '../../wire.ts';
import type { AnswerContext, ParsedRequest } from '../client-request.ts';
import { annotationJson } from './citations.ts';
import {
  carrierJson,
  imageItem,
  issuedItemJson,
  linkOf,
  messageJson,
  reasoningJson,
  refusalPartJson,
  saysAnything,
  showsThoughts,
  textPartJson,
  toolCallJson,
} from './content.encode.ts';
import { responseError } from './failure.ts';
import { FORMAT } from './schema.ts';
import { calledName } from './tools.ts';
import { usageJson } from './usage.ts';

/**
 * A request that continues a stored response. `storing.ts` has inserted the earlier turns, but the answer still states the
 * id.
 */
export interface ContinuedRequest extends ParsedRequest {
  readonly continues: string;
}

const SERVICE_TIERS: ReadonlySet<unknown> = new Set([
  'auto',
  'default',
  'flex',
  'scale',
  'priority',
  'fast',
  'ultrafast',
]);

/** The members of a response that are known at its end. */
interface ResponseEnd {
  /** JSON texts of the items. */
  readonly output: readonly string[];
  readonly finish: Finish | null;
  readonly usage: Usage | null;
  readonly serviceTier: string | null;
}

/**
 * Writes the response object: OpenAI's `Response` with every member that Open Responses requires (`ResponseResource`), and
 * the contract's `created`. Values that the request set are repeated; the others are the API's defaults.
 */
export class ResponseObject {
  readonly id: string;
  private readonly created: number;
  private readonly completed: number;
  private readonly routing: WrittenRouting;
  private readonly head: string;
  private readonly echo: string;
  private readonly requestedTier: unknown;

  constructor(context: AnswerContext, upstreamId: string | null, created: number | null) {
    this.id = upstreamId?.startsWith('resp_') ? upstreamId : context.newId('resp_');
    this.created = created ?? context.created;
    this.completed = Math.max(this.created, context.created);
    this.routing = context.routing;
    this.requestedTier = context.parsed.body.service_tier;
    const at = `"created":${this.created},"created_at":${this.created}`;
    this.head = `{"id":${JSON.stringify(this.id)},"object":"response",${at},"model":${JSON.stringify(context.publicModel)},`;
    const echo = echoOf(context.parsed);
    this.echo = JSON.stringify(context.isLarge ? withoutLong(echo) : echo).slice(1, -1);
  }

  /** Returns the response before its first item. */
  begun(): string {
    const tier = SERVICE_TIERS.has(this.requestedTier) ? this.requestedTier : 'auto';
    return (
      `${this.head}"status":"in_progress","completed_at":null,"error":null,"incomplete_details":null,"output":[],` +
      `"usage":null,"service_tier":${JSON.stringify(tier)},${this.echo}}`
    );
  }

  /** Returns the response of a stream that breaks off: the items that were done by then, and the failure. */
  failed(failure: Failure, output: readonly string[]): string {
    return (
      `${this.head}"status":"failed","completed_at":null,"error":${JSON.stringify(responseError(failure))},"incomplete_details":null,` +
      `"output":[${output.join(',')}],"usage":null,"service_tier":"default",${this.echo},"_routing":${this.routing.json}}`
    );
  }

  /** Returns the whole response, with `_routing`. */
  ended(end: ResponseEnd): string {
    const reason = incompleteReason(end.finish);
    const tier = SERVICE_TIERS.has(end.serviceTier) ? end.serviceTier : 'default';
    return (
      `${this.head}"status":"${reason === null ? 'completed' : 'incomplete'}",` +
      `"completed_at":${reason === null ? this.completed : 'null'},"error":null,` +
      `"incomplete_details":${reason === null ? 'null' : `{"reason":"${reason}"}`},"output":[${end.output.join(',')}],` +
      `"usage":${usageJson(end.usage)},"service_tier":${JSON.stringify(tier)},${this.echo},"_routing":${this.routing.json}}`
    );
  }
}

/** Returns why a response is incomplete; `null` for a complete one. */
export function incompleteReason(finish: Finish | null): 'max_output_tokens' | 'content_filter' | null {
  if (finish?.unified === 'length') return 'max_output_tokens';
  return finish?.unified === 'content-filter' ? 'content_filter' : null;
}

function echoOf(parsed: ParsedRequest): Readonly<Record<string, unknown>> {
  const { body } = parsed;
  return {
    previous_response_id: 'continues' in parsed ? parsed.continues : null,
    instructions: body.instructions ?? null,
    tools: Array.isArray(body.tools) ? body.tools.map(echoTool) : [],
    tool_choice: echoChoice(body.tool_choice),
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    temperature: body.temperature ?? 1,
    top_p: body.top_p ?? 1,
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    top_logprobs: body.top_logprobs ?? 0,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    reasoning: { effort: null, summary: null, ...(isRecord(body.reasoning) ? body.reasoning : {}) },
    text: echoText(body.text),
    truncation: body.truncation ?? 'disabled',
    store: body.store ?? true,
    background: false,
    metadata: body.metadata ?? {},
    user: body.user ?? null,
    safety_identifier: body.safety_identifier ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
  };
}

/**
 * Returns the tool choice to repeat. In Open Responses the mode is optional in a request but required in an answer, and OpenAI's
 * answers have no `none` in this place.
 */
function echoChoice(choice: unknown): unknown {
  if (!isRecord(choice) || choice.type !== 'allowed_tools') return choice ?? 'auto';
  return choice.mode === 'none' ? 'none' : { ...choice, mode: choice.mode ?? 'auto' };
}

/** Values of a large request that are longer than this (in characters, plus one for each value) are not repeated. */
const LONGEST_ECHO = 256 * 1024;

/**
 * Returns the values that a large request set, without the long ones: to repeat 10 MB of tools takes 50 ms, three times in a
 * stream. Long tools become an empty list, any other long value becomes null.
 */
function withoutLong(echo: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(echo).map(([name, value]) => {
    const isShort = leftOf(value, LONGEST_ECHO) >= 0;
    return [name, isShort ? value : name === 'tools' ? [] : null];
  });
  return Object.fromEntries(entries);
}

/** Returns how many of `most` characters are left after the value. Stops early when the result is negative. */
function leftOf(value: unknown, most: number): number {
  if (typeof value === 'string') return most - value.length;
  let left = most - 1;
  if (typeof value !== 'object' || value === null) return left;
  for (const name in value) {
    left = leftOf((value as Record<string, unknown>)[name], left - name.length);
    if (left < 0) break;
  }
  return left;
}

function echoTool(tool: unknown): unknown {
  if (!isRecord(tool) || tool.type !== 'function') return tool;
  const { description = null, parameters = null, strict } = tool;
  return { ...tool, description, parameters, strict: strict ?? false };
}

function echoText(text: unknown): unknown {
  const members = isRecord(text) ? text : {};
  const format = isRecord(members.format) ? members.format : { type: 'text' };
  if (format.type !== 'json_schema') return { ...members, format };
  return { ...members, format: { ...format, description: format.description ?? null, strict: format.strict ?? false } };
}

/** Returns the answer to a count request, with a mark if the number is the gateway's own estimate. */
export function encodeTokenCount(tokens: number, estimated: boolean, { routing }: AnswerPatch): string {
  const mark = estimated ? ',"estimated":true' : '';
  return `{"object":"response.input_tokens","input_tokens":${tokens}${mark},"_routing":${routing.json}}`;
}

// ---- the whole answer

/** Returns the whole answer as a response object. The format has only one answer, so the first candidate is used. */
export function encodeAnswer(response: ExchangeResponse, context: AnswerContext): string {
  const object = new ResponseObject(context, response.id, response.created);
  const candidate = response.candidates[0];
  const finish = candidate?.finish ?? null;
  const output = candidate ? encodeItems(candidate, context, incompleteReason(finish) !== null) : [];
  return object.ended({ output, finish, usage: response.usage, serviceTier: response.serviceTier ?? null });
}

function encodeItems({ parts, logprobs }: Candidate, context: AnswerContext, isCut: boolean): string[] {
  const items: string[] = [];
  let content: string[] = [];
  let logprobsLeft = logprobs;
  const closeMessage = (status: 'completed' | 'incomplete') => {
    if (content.length > 0) items.push(messageJson(context.newId('msg_'), status, content));
    content = [];
  };
  const isLast = (part: Part) => part === parts.at(-1);
  const addItem = (json: string) => {
    closeMessage('completed');
    items.push(json);
  };
  const isShown = showsThoughts(context);
  const foundations = new FoundationCollector();
  const addCarrier = (state: OpaqueState | undefined) => {
    const foundation = foundations.call(state);
    if (isFounded(foundation)) addItem(carrierJson(context.newId('rs_'), foundation));
  };
  for (const part of endingInText(parts)) {
    switch (part.type) {
      case 'text': {
        const { text, citations = [], state } = part;
        foundations.said(state);
        if (text === '' && state !== undefined) break;
        const annotations = citations.flatMap((citation) => annotationJson(citation, text.length) ?? []);
        content.push(textPartJson(text, annotations, logprobsLeft));
        logprobsLeft = undefined;
        break;
      }
      case 'refusal':
        content.push(refusalPartJson(part.text));
        break;
      case 'reasoning':
        if (saysAnything(part, isShown)) addItem(thoughtJson(part, isShown, context));
        break;
      case 'tool-call': {
        addCarrier(part.state);
        const id = context.newId(part.custom ? 'ctc_' : 'fc_');
        const called = calledName(part.name, context.request.tools);
        addItem(toolCallJson(id, isCut && isLast(part) ? 'incomplete' : 'completed', { ...part, ...called }));
        break;
      }
      case 'unknown':
        if (part.format === FORMAT) addItem(JSON.stringify(part.value));
        break;
      case 'tool-result':
        break;
      default: {
        const image = imageItem(context.newId('ig_'), part);
        const link = linkOf(part);
        if (image !== null) addItem(image.json);
        else if (link !== null) content.push(textPartJson(link, []));
      }
    }
  }
  const last = foundations.call(undefined);
  if (isFounded(last)) items.push(carrierJson(context.newId('rs_'), last));
  closeMessage(isCut ? 'incomplete' : 'completed');
  return items;
}

/** Returns the issuer's own item if it shows exactly what the client may see, otherwise a new item. */
function thoughtJson(part: ReasoningPart, isShown: boolean, context: AnswerContext): string {
  const isSo = part.text === '' || (isShown && part.summary === true);
  return (isSo ? issuedItemJson(part.state) : null) ?? reasoningJson(context.newId('rs_'), part, isShown);
}
