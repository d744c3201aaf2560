import {
  type Answering,
  chatAnswer,
  type FakeUpstream,
  type ReceivedRequest,
  refusal,
  startUpstream,
} from '../first-light/upstream.ts';
import { strictProblem } from '../strict/check.ts';

export const unavailable: Answering = () => refusal(503, 'The server is overloaded.');
export const broken: Answering = () => refusal(500, 'The server had an error.');

/**
 * Resolves to the reason for which a server with a strict template would refuse the request; the test then
 * fails.
 */
function refusalOf({ path, headers, text }: ReceivedRequest): Promise<string | null> {
  return strictProblem(OPEN_MODEL_SERVER, { method: 'POST', target: path.replace(/^\/v1/, ''), headers, body: text });
}

const OPEN_MODEL_SERVER = { provider: 'openai-compatible', wire: 'openai-chat' };

/** The upstream of one channel. Its behavior can be changed at any time, and it counts its requests. */
export class CountedUpstream {
  private readonly server: FakeUpstream;
  private readonly arrived: string[] = [];
  inFlight = 0;

  constructor(
    readonly id: string,
    public answer: Answering = chatAnswer,
  ) {
    this.server = startUpstream(async (request) => {
      this.arrived.push(request.text);
      const refused = await refusalOf(request);
      if (refused !== null) return refusal(400, refused);
      this.inFlight++;
      try {
        return await this.answer(request);
      } finally {
        this.inFlight--;
      }
    });
  }

  get baseUrl(): string {
    return this.server.baseUrl;
  }

  /** The number of requests since the last `forget`. */
  get count(): number {
    return this.arrived.length;
  }

  /** Returns how many of them contain the text. */
  countOf(text: string): number {
    return this.arrived.filter((one) => one.includes(text)).length;
  }

  forget(): void {
    this.arrived.length = 0;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}

export function upstreamsNamed<const Ids extends readonly string[]>(
  ...ids: Ids
): { [Id in Ids[number]]: CountedUpstream } {
  // The keys are exactly the ids.
  return Object.fromEntries(ids.map((id) => [id, new CountedUpstream(id)])) as {
    [Id in Ids[number]]: CountedUpstream;
  };
}

/** Returns the number of requests per upstream since the last `forget`, in their order. */
export function counts(upstreams: Readonly<Record<string, CountedUpstream>>): readonly number[] {
  return Object.values(upstreams).map(({ count }) => count);
}

export function forgetAll(upstreams: Readonly<Record<string, CountedUpstream>>): void {
  for (const upstream of Object.values(upstreams)) upstream.forget();
}
