import { isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import { decodeReasoning } from '../../../formats/text/openai-chat/reasoning.decode.ts';
import { REASONING_MODEL } from '../models.ts';
import { instanceOf } from './json-schema/instance.ts';
import { type Turn, turnOf } from './prompt.ts';
import type { ChatRequest } from './request.ts';
import { type ToolCall, toolCallsOf } from './tool-calls.ts';

const QUOTED_CHARACTERS = 200;
const QUOTED_RESULTS = 8;
const SYNTHETIC = 'This is a synthetic answer from the Switchyard sandbox; no AI model was called.';
const HOW_TO_GET_REAL_ONES = 'Add a provider key (for example OPENAI_API_KEY) or a channel to get real answers.';

/** The sandbox's answer before limits; it depends only on the request. */
export interface Answer {
  readonly reasoning: string | null;
  readonly text: string | null;
  readonly toolCalls: readonly ToolCall[];
}

export function composeAnswer(request: ChatRequest): Answer {
  const turn = turnOf(request);
  const toolCalls = toolCallsOf(request, turn);
  const reasoning = isToThink(request) ? thought(toolCalls, turn) : null;
  return { reasoning, text: toolCalls.length > 0 ? null : textAnswer(request, turn), toolCalls };
}

/** Returns whether to think: one model does unless disabled, the others do on request, in any form that a client may use. */
function isToThink(request: ChatRequest): boolean {
  const { options } = decodeReasoning(request, []);
  if (options === null) return request.model === REASONING_MODEL;
  if (isReasoningOff(options)) return false;
  const { enabled, effort, budgetTokens, adaptive, summary } = options;
  const isAsked = enabled === true || effort !== null || budgetTokens !== null || adaptive;
  return isAsked || (summary !== null && summary !== 'none') || request.model === REASONING_MODEL;
}

function thought(calls: readonly ToolCall[], { results }: Turn): string {
  const names = [...new Set(calls.map(({ name }) => name))].join(', ');
  if (names !== '') return `Synthetic reasoning: the request asks for ${names}, so the next step is to call it.`;
  const what = results.length > 0 ? 'what the tools returned' : 'the last message';
  return `Synthetic reasoning: there is nothing to think about, the sandbox only quotes ${what}.`;
}

function textAnswer(request: ChatRequest, turn: Turn): string {
  const format = request.response_format;
  if (format?.type === 'json_schema' && format.json_schema.schema !== undefined) {
    return JSON.stringify(instanceOf(format.json_schema.schema));
  }
  if (format !== undefined && format !== null && format.type !== 'text') {
    return JSON.stringify({ synthetic: true, note: `${SYNTHETIC} ${HOW_TO_GET_REAL_ONES}` });
  }
  return `${SYNTHETIC} ${quoteOf(turn)} ${HOW_TO_GET_REAL_ONES}`;
}

function quoteOf({ prompt, results }: Turn): string {
  if (results.length === 0) return `You said: ${quote(prompt)}.`;
  const quoted = results
    .slice(0, QUOTED_RESULTS)
    .map(({ name, text }) => `The tool ${JSON.stringify(name)} returned: ${quote(text)}.`);
  const others = results.length - quoted.length;
  return [...quoted, ...(others > 0 ? [`There were ${others} further results.`] : [])].join(' ');
}

function quote(text: string): string {
  const characters = [...text.slice(0, 2 * QUOTED_CHARACTERS)];
  return `"${characters.slice(0, QUOTED_CHARACTERS).join('')}"`;
}
