import type { Part } from './part.ts';
import type { Candidate, ExchangeResponse } from './response.ts';
import type { StreamPart } from './stream-part.ts';

/** Returns a whole answer as an equivalent stream, for a client that streams over an upstream that did not. */
export function partsOfResponse(response: ExchangeResponse): StreamPart[] {
  const { id, created, model, usage, serviceTier } = response;
  const parts: StreamPart[] = [{ type: 'start', id, created, ...(model === undefined ? {} : { model }) }];
  // Comes first, because some formats report the prompt's tokens at the beginning.
  if (usage) parts.push({ type: 'usage', usage, ...(serviceTier === undefined ? {} : { serviceTier }) });
  for (const candidate of response.candidates) parts.push(...partsOfCandidate(candidate));
  parts.push({ type: 'end' });
  return parts;
}

function partsOfCandidate({ index, parts, finish, logprobs }: Candidate): StreamPart[] {
  let logprobsLeft = logprobs;
  const out: StreamPart[] = [];
  for (const part of parts) {
    out.push(...blockOf(part, index, part.type === 'text' ? logprobsLeft : undefined));
    if (part.type === 'text') logprobsLeft = undefined;
  }
  out.push({ type: 'finish', candidate: index, finish });
  return out;
}

function blockOf(part: Part, candidate: number, logprobs: Candidate['logprobs']): StreamPart[] {
  switch (part.type) {
    case 'text': {
      const delta: StreamPart = { type: 'text-delta', candidate, text: part.text, ...(logprobs ? { logprobs } : {}) };
      const citations = (part.citations ?? []).map((citation) => ({ type: 'citation', candidate, citation }) as const);
      return [{ type: 'text-start', candidate }, delta, ...citations, withState({ type: 'text-end', candidate }, part)];
    }
    case 'reasoning': {
      const { summary, redacted } = part;
      const start: StreamPart = {
        type: 'reasoning-start',
        candidate,
        ...(summary === undefined ? {} : { summary }),
        ...(redacted === undefined ? {} : { redacted }),
      };
      const deltas: StreamPart[] = part.text === '' ? [] : [{ type: 'reasoning-delta', candidate, text: part.text }];
      return [start, ...deltas, withState({ type: 'reasoning-end', candidate }, part)];
    }
    case 'tool-call': {
      const { id, name, namespace, custom } = part;
      const start: StreamPart = {
        type: 'tool-call-start',
        candidate,
        id,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(custom === undefined ? {} : { custom }),
      };
      const delta: StreamPart = { type: 'tool-call-delta', candidate, arguments: part.arguments };
      return [withState(start, part), delta, withState({ type: 'tool-call-end', candidate }, part)];
    }
    case 'refusal':
      return [
        { type: 'refusal-start', candidate },
        { type: 'refusal-delta', candidate, text: part.text, ...(part.byGateway === true ? { byGateway: true } : {}) },
        { type: 'refusal-end', candidate },
      ];
    case 'unknown':
      return [{ type: 'unknown', candidate, part }];
    case 'tool-result':
      return [];
    default:
      return [{ type: 'media', candidate, part }];
  }
}

function withState<End extends StreamPart>(end: End, { state }: { readonly state?: unknown }): End {
  return state === undefined ? end : { ...end, state };
}
