import type { CallTimeouts } from '../../../domain/catalog/channel.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { parseJsonBytes } from '../../../formats/shared/json/json-text.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import type { RelayAddress, RelayChannel } from '../../directory/relay-channel.ts';
import type { ComingBody, Upstream, UpstreamAnswer, UpstreamBody, UpstreamRequest } from '../../ports/upstream.ts';
import type { ProviderInput } from './batch-api.ts';
import { ProviderRefusal } from './provider-refusal.ts';

const MOST_ANSWER_BYTES = 8 * 1024 * 1024;
const LONGEST_ID = 256;
/** A request that removes an object takes at most this long. */
const LONGEST_REMOVAL_MS = 15_000;

export interface Question {
  readonly method: UpstreamRequest['method'];
  readonly path: string;
  readonly body?: UpstreamRequest['body'];
  readonly headers?: Readonly<Record<string, string>>;
  /** Those of the channel if absent. */
  readonly timeouts?: CallTimeouts;
}

/** Sends requests to one of a provider's APIs with one upstream key. */
export class ProviderApi {
  constructor(
    private readonly upstream: Pick<Upstream, 'send'>,
    private readonly channel: RelayChannel,
    private readonly client: { readonly accountId: string; readonly signal: AbortSignal },
  ) {}

  /** Resolves to the JSON object in the answer. */
  async json(at: RelayAddress | null, question: Question): Promise<Record<string, unknown> | ProviderRefusal> {
    const value = await this.value(at, question);
    if (value instanceof ProviderRefusal || isRecord(value)) return value;
    return new ProviderRefusal(null, 'the provider has sent no JSON object');
  }

  /** Resolves to the JSON in the answer, or to a `ProviderRefusal`. */
  async value(at: RelayAddress | null, question: Question): Promise<unknown> {
    const body = await this.open(at, question);
    if (body instanceof ProviderRefusal) return body;
    const bytes = await body.readAll({ limitBytes: MOST_ANSWER_BYTES });
    return bytes instanceof Failure ? null : parseJsonBytes(bytes);
  }

  /** Removes an object. Resolves to `false` if the provider may still have it. */
  async remove(at: RelayAddress | null, path: string): Promise<boolean> {
    const { whole } = this.channel.timeouts;
    const timeouts = { ...whole, totalMs: Math.min(whole.totalMs, LONGEST_REMOVAL_MS) };
    const body = await this.open(at, { method: 'DELETE', path, timeouts });
    if (body instanceof ProviderRefusal) return body.status === 404;
    body.cancel();
    return true;
  }

  /** Resolves to the body of an answer of status 2xx. */
  async open(at: RelayAddress | null, question: Question): Promise<UpstreamBody | ProviderRefusal> {
    if (at === null) return new ProviderRefusal(404, 'the provider has no such API');
    const { method, path, body = null, headers = {}, timeouts = this.channel.timeouts.whole } = question;
    const { local, isGuarded, secrets } = this.channel;
    const answer = await this.upstream.send({
      ...{ method, body, local, isGuarded, timeouts, client: this.client },
      url: at.baseUrl + path,
      headers: { accept: 'application/json', ...at.headers, ...headers },
    });
    if (answer instanceof Failure) return new ProviderRefusal(null, secrets.cleaned(answer).details.message);
    return answer.status >= 200 && answer.status <= 299 ? answer.body : this.refusal(answer);
  }

  private async refusal({ status, body }: UpstreamAnswer): Promise<ProviderRefusal> {
    const bytes = await body.readAll({ limitBytes: 64 * 1024, withinMs: 10_000 });
    const value = bytes instanceof Failure ? null : parseJsonBytes(bytes);
    const { message, isBusy } = errorIn(value);
    const cleaned = this.channel.secrets.cleaned(
      new Failure('upstream_error', { message: message?.slice(0, 300) ?? `HTTP ${status}` }),
    );
    if (isBusy) return new ProviderRefusal(429, cleaned.details.message);
    return new ProviderRefusal(status >= 500 ? null : status, cleaned.details.message);
  }
}

/** Returns what an error says, in the forms of OpenAI, Together and Mistral, and whether the same request may be accepted later. */
function errorIn(value: unknown): { readonly message: string | null; readonly isBusy: boolean } {
  if (!isRecord(value)) return { message: null, isBusy: false };
  const { error, message } = value;
  const { message: inner, code } = isRecord(error) ? error : { message: error ?? message };
  // Azure refuses a batch with a 400 while others use up the tokens that a deployment may have in its queue.
  return { message: typeof inner === 'string' ? inner : null, isBusy: code === 'token_limit_exceeded' };
}

/** Returns the id of an object. */
export function idIn(value: Record<string, unknown> | ProviderRefusal): string | ProviderRefusal {
  if (value instanceof ProviderRefusal) return value;
  return textIn(value.id) ?? new ProviderRefusal(null, 'the provider has given no id');
}

/** Returns a text that may be an id; `null` for anything else. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ID ? value : null;
}

/** Returns a body that is read from the store while it is sent. */
export function comingBody(input: ProviderInput, before = new Uint8Array(), after = new Uint8Array()): ComingBody {
  const chunk = (bytes: Uint8Array) => new Uint8Array(bytes);
  let isBegun = before.length === 0;
  const body: ComingBody = {
    length: before.length + input.length + after.length,
    onTaken: null,
    stream: new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        async pull(controller) {
          body.onTaken?.();
          if (!isBegun) {
            isBegun = true;
            controller.enqueue(chunk(before));
            return;
          }
          const { done, value } = await input.pieces.next();
          if (done !== true) return controller.enqueue(chunk(value));
          if (after.length > 0) controller.enqueue(chunk(after));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    ),
  };
  return body;
}
