import { ApiError, errorOf, ownError } from '../../api/client.ts';
import { objectOf, parseJson } from '../shared/json.ts';
import { eventsOf } from '../shared/sse.ts';

export interface Asked {
  readonly accountId: string;
  readonly model: string;
  readonly prompt: string;
}

/** The answer so far. */
export interface FirstAnswer {
  readonly text: string;
  readonly requestId: string | null;
  /** The name of the channel that has answered. */
  readonly channel: string | null;
  /** Milliseconds until the first part arrived. */
  readonly firstMs: number | null;
  readonly totalMs: number | null;
}

/** Asks a model as the signed-in person (docs/playground.md). Rejects with an `ApiError`, or as `fetch` does. */
export async function ask(
  { accountId, model, prompt }: Asked,
  onAnswer: (answer: FirstAnswer) => void,
  signal: AbortSignal,
): Promise<FirstAnswer> {
  const began = performance.now();
  const body = { model, messages: [{ role: 'user', content: prompt }], stream: true };
  const address = new URL('v1/management/playground/v1/chat/completions', document.baseURI);
  address.searchParams.set('account_id', accountId);
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    cache: 'no-store',
    signal,
  });
  if (!answer.ok) throw await errorOf(answer);
  let state: FirstAnswer = {
    text: '',
    requestId: answer.headers.get('x-request-id'),
    channel: channelIn(answer.headers.get('x-routing')),
    firstMs: null,
    totalMs: null,
  };
  let isComplete = false;
  for await (const data of eventsOf(answer.body ?? new ReadableStream())) {
    if (data === '[DONE]') isComplete = true;
    const event: Event = objectOf(parseJson(data));
    refuseError(event, state.requestId);
    const firstMs = state.firstMs ?? Math.round(performance.now() - began);
    state = { ...state, firstMs, text: state.text + textIn(event) };
    onAnswer(state);
  }
  if (!isComplete) throw ownError('incomplete', state.requestId);
  return { ...state, totalMs: Math.round(performance.now() - began) };
}

interface Event {
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
  readonly error?: { readonly message?: string; readonly code?: string | null; readonly hint?: string };
}

function channelIn(routing: string | null): string | null {
  const { channel } = objectOf(parseJson(routing ?? '')) as { readonly channel?: { readonly name?: string } };
  return channel?.name ?? null;
}

function textIn({ choices }: Event): string {
  return choices?.[0]?.delta?.content ?? '';
}

/** Throws for an error event: failures after the first byte are reported within the stream. */
function refuseError({ error }: Event, requestId: string | null): void {
  if (error === undefined) return;
  const { message = '', code, hint } = error;
  throw new ApiError(message, 200, code ?? 'unknown', null, requestId, hint ?? null);
}
