import type { OpaqueState, StateFamily } from './opaque-state.ts';
import type { Message, Part, ReasoningPart, ToolCallPart } from './part.ts';
import type { ExchangeRequest } from './request.ts';

/**
 * Returns the request with each thought of this family as its vendor issued it, without a router's wrapping; the same object if
 * there is none. State that was put on a tool call is moved back to it.
 */
export function withIssuedState(request: ExchangeRequest, family: StateFamily): ExchangeRequest {
  const isOf = (part: Part) => part.type === 'reasoning' && part.issued?.state.family === family;
  if (!request.messages.some(({ parts }) => parts.some(isOf))) return request;
  return { ...request, messages: request.messages.map((message) => unwrapped(message, family)) };
}

function unwrapped(message: Message, family: StateFamily): Message {
  const states = new Map<ToolCallPart, OpaqueState>();
  const parts: Part[] = [];
  for (const part of message.parts) {
    const issued = part.type === 'reasoning' && part.issued?.state.family === family ? part.issued : null;
    if (part.type !== 'reasoning' || issued === null) {
      parts.push(part);
      continue;
    }
    const call = part.text === '' ? callOf(message, issued.callId) : undefined;
    if (call === undefined || states.has(call)) parts.push(plain(part, issued.state));
    else states.set(call, issued.state);
  }
  return { ...message, parts: parts.map((part) => onCall(part, states)) };
}

function plain({ issued: _, ...part }: ReasoningPart, state: OpaqueState): ReasoningPart {
  return { ...part, state };
}

function callOf({ parts }: Message, id: string | null): ToolCallPart | undefined {
  return parts.find((part): part is ToolCallPart => part.type === 'tool-call' && part.id === id && !part.state);
}

function onCall(part: Part, states: ReadonlyMap<ToolCallPart, OpaqueState>): Part {
  if (part.type !== 'tool-call') return part;
  const state = states.get(part);
  return state === undefined ? part : { ...part, state };
}
