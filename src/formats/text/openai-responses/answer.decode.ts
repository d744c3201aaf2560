import type { Part } from '../../../domain/exchange/part.ts';
import type { Candidate, ExchangeResponse, Finish, TokenLogprob } from '../../../domain/exchange/response.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { jsonOf } from '../../shared/json/exact-json.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { callArguments, countOrNull, nonEmptyText, textOrEmpty } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { DecodeSource } from '../format.ts';
import { modelOf } from '../shared/served-as.ts';
import { decodeTokenLogprobs } from '../shared/token-logprobs.ts';
import { decodeAnnotation } from './citations.ts';
import { decodeImageItem } from './content.ts';
import { failureInResponse } from './failure.ts';
import { type ItemSource, nativeReasoning } from './reasoning.ts';
import { FORMAT } from './schema.ts';
import { usageOfResponse } from './usage.ts';

type Json = Readonly<Record<string, unknown>>;

/** Decodes the body of a 200. A body that is not a response, or that carries an error, is a failure of the upstream. */
export function decodeAnswer(bytes: Uint8Array, source: DecodeSource): ExchangeResponse | Failure {
  const response = parseJsonBytes(bytes);
  if (!isRecord(response)) return bodyNotJson();
  const failure = failureInResponse(response);
  if (failure) return failure;
  if (!Array.isArray(response.output)) return bodyNoAnswer();
  if (response.output.length === 0 && typeof response.status !== 'string') return bodyNoAnswer();
  const output = new OutputReader(source);
  for (const item of response.output) if (isRecord(item)) output.take(item);
  const candidate: Candidate = {
    index: 0,
    parts: output.parts,
    finish: decodeFinish(response, output.calledTool),
    ...(output.logprobs.length > 0 ? { logprobs: output.logprobs } : {}),
  };
  return {
    id: nonEmptyText(response.id),
    created: createdOf(response),
    candidates: [candidate],
    usage: usageOfResponse(response),
    ...tierOf(response),
    ...modelOf(response.model),
  };
}

export function tierOf({ service_tier: tier }: Json): { readonly serviceTier?: string } {
  return typeof tier === 'string' && tier !== '' ? { serviceTier: tier } : {};
}

/** Returns the creation time in Unix seconds. Recorders and some servers write 0, which is not a time. */
export function createdOf({ created_at: created }: Json): number | null {
  return typeof created === 'number' && created > 0 ? Math.floor(created) : null;
}

/** Returns the number in the answer to a count request. */
export function decodeTokenCount(bytes: Uint8Array): number | null {
  const body = parseJsonBytes(bytes);
  return isRecord(body) ? countOrNull(body.input_tokens) : null;
}

class OutputReader {
  readonly parts: Part[] = [];
  readonly logprobs: TokenLogprob[] = [];
  calledTool = false;

  constructor(private readonly source: ItemSource) {}

  take(item: Json): void {
    switch (item.type) {
      case 'message':
        for (const part of Array.isArray(item.content) ? item.content : []) if (isRecord(part)) this.takeContent(part);
        break;
      case 'reasoning':
        this.parts.push(nativeReasoning(item, this.source));
        break;
      case 'function_call':
      case 'custom_tool_call':
        this.calledTool = true;
        this.parts.push(decodeToolCall(item));
        break;
      default:
        this.parts.push(decodeOtherItem(item, this.source));
    }
  }

  private takeContent(part: Json): void {
    if (part.type === 'refusal') {
      if (part.refusal !== '') this.parts.push({ type: 'refusal', text: textOrEmpty(part.refusal) });
    } else if (typeof part.text === 'string') {
      if (part.text === '') return;
      const citations = Array.isArray(part.annotations) ? part.annotations.filter(isRecord).map(decodeAnnotation) : [];
      this.parts.push({ type: 'text', text: part.text, ...(citations.length > 0 ? { citations } : {}) });
      this.logprobs.push(...decodeTokenLogprobs(part.logprobs));
    } else this.parts.push({ type: 'unknown', format: FORMAT, value: part });
  }
}

/** Decodes a call, which is linked to its output by `call_id`. Servers that send only an item id use it for the same purpose. */
export function decodeToolCall(item: Json) {
  const custom = item.type === 'custom_tool_call';
  const text = custom ? item.input : item.arguments;
  const written = typeof text === 'string' ? text : jsonOf(text ?? {});
  const name = textOrEmpty(item.name);
  return {
    type: 'tool-call' as const,
    id: textOrEmpty(item.call_id) || textOrEmpty(item.id) || `call_${name}`,
    name,
    ...(typeof item.namespace === 'string' && item.namespace !== '' ? { namespace: item.namespace } : {}),
    arguments: custom ? written : callArguments(written),
    ...(custom ? { custom } : {}),
  };
}

/** Returns an image, or an item of a tool that the provider runs. */
export function decodeOtherItem(item: Json, source: ItemSource) {
  const image = item.type === 'image_generation_call' ? decodeImageItem(item, source) : null;
  return image ?? ({ type: 'unknown', format: FORMAT, value: item } as const);
}

/**
 * Returns the finish reason: OpenAI's status shows whether the response is complete, but only the items show whether tools were
 * called.
 */
export function decodeFinish(response: Json, calledTool: boolean): Finish {
  const { status, incomplete_details: details } = response;
  const reason = isRecord(details) ? nonEmptyText(details.reason) : null;
  if (status === 'incomplete' || reason !== null) {
    if (reason === 'max_output_tokens') return { unified: 'length', raw: reason };
    return { unified: reason === 'content_filter' ? 'content-filter' : 'other', raw: reason ?? 'incomplete' };
  }
  const raw = nonEmptyText(status);
  if (status === 'cancelled') return { unified: 'other', raw };
  return { unified: calledTool ? 'tool-calls' : 'stop', raw };
}
