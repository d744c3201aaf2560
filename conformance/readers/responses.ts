import { asArray, asObject, isObject } from '../shared/json.ts';
import {
  CandidateBuilder,
  countOf,
  type ExpectedAnswer,
  type Finish,
  inclusiveUsage,
  textOf,
  type Usage,
} from './expected-answer.ts';

/** Keyed by status, or by the reason for `incomplete`. */
const FINISHES: Readonly<Record<string, Finish>> = {
  completed: 'stop',
  max_output_tokens: 'length',
  content_filter: 'content-filter',
};

/** Reads a whole Response. */
export function readResponsesAnswer(body: unknown): ExpectedAnswer {
  const response = asObject(body);
  const candidate = new CandidateBuilder();
  for (const item of asArray(response.output).map(asObject)) takeItem(candidate, item);
  takeFinish(candidate, response);
  return { candidates: [candidate.build(FINISHES)], usage: responsesUsage(response.usage) };
}

/** Reads a Responses stream from the parsed data of its events: the completed items, not the deltas. */
export function readResponsesStream(events: readonly unknown[]): ExpectedAnswer {
  const candidate = new CandidateBuilder();
  let final: Readonly<Record<string, unknown>> = {};
  for (const event of events.map(asObject)) {
    if (event.type === 'response.output_item.done') takeItem(candidate, asObject(event.item));
    if (isObject(event.response)) final = event.response;
  }
  takeFinish(candidate, final);
  return { candidates: [candidate.build(FINISHES)], usage: responsesUsage(final.usage) };
}

function takeFinish(candidate: CandidateBuilder, response: Readonly<Record<string, unknown>>): void {
  const reason = asObject(response.incomplete_details).reason;
  candidate.rawFinish = textOf(reason) || textOf(response.status) || null;
}

function takeItem(candidate: CandidateBuilder, item: Readonly<Record<string, unknown>>): void {
  switch (item.type) {
    case 'message':
      for (const part of asArray(item.content).map(asObject)) {
        if (part.type === 'output_text') candidate.text += textOf(part.text);
        if (part.type === 'refusal') candidate.refusal += textOf(part.refusal);
      }
      return;
    case 'reasoning':
      // OpenAI returns a summary, open models the reasoning itself (lmstudio/responses/002). Both are read.
      for (const part of [...asArray(item.summary), ...asArray(item.content)]) {
        candidate.reasoning += textOf(asObject(part).text);
      }
      return;
    case 'function_call':
      candidate.addToCall(candidate.callCount, { name: item.name, text: item.arguments });
      return;
    case 'custom_tool_call':
      candidate.addToCall(candidate.callCount, { name: item.name, text: item.input });
      return;
    default:
    // The other items belong to tools that the provider runs itself.
  }
}

/**
 * The input includes cache reads and writes, the output includes the reasoning (azure/responses/039: 448 of 536, 3678 +
 * 536 = 4214). xAI counts the same way in this format (xai/responses/022: 237 of 241, 226 + 241 = 467).
 */
function responsesUsage(found: unknown): Usage | null {
  if (!isObject(found) || (found.input_tokens === undefined && found.output_tokens === undefined)) return null;
  const input = asObject(found.input_tokens_details);
  return inclusiveUsage({
    prompt: countOf(found.input_tokens),
    cached: countOf(input.cached_tokens),
    cacheWrite: countOf(input.cache_write_tokens),
    completion: countOf(found.output_tokens),
    reasoning: countOf(asObject(found.output_tokens_details).reasoning_tokens),
  });
}
