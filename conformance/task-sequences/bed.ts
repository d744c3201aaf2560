import { expect } from 'bun:test';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { type Answer, answerOf } from '../shared/answer.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

const HEADERS = { authorization: `Bearer ${clientKey('payer')}`, 'content-type': 'application/json' };
export const CLIP = new TextEncoder().encode('\0\0\0\u0018ftypmp42 the bytes of a video');
/** The host of Replicate's files, which the test's own address replaces. */
export const FILE_HOST = 'https://replicate.delivery';

export interface Recorded {
  readonly status: number;
  readonly body: string;
}

export interface Sequence {
  /** Also the public model id. */
  readonly name: string;
  readonly endpoint: 'images' | 'videos';
  readonly provider: 'replicate' | 'xai' | 'google';
  readonly upstreamModel: string;
  readonly create: Recorded;
  /** In order; the last one is repeated. */
  readonly polls: readonly Recorded[];
}

/** Plays one sequence at a time, and serves the files that it names. */
class Provider {
  /** The method and path of each request, and the key that it carried. */
  asked: string[] = [];
  private current: Sequence | null = null;
  private polled = 0;
  private readonly server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => this.answer(request) });

  get origin(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  play(sequence: Sequence): void {
    this.current = sequence;
    this.asked = [];
    this.polled = 0;
  }

  get questions(): number {
    return this.polled;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    // An operator's end of a task reaches the gateway after seconds, so it may still poll the previous job.
    if (request.method === 'GET' && this.isOther(pathname)) return new Response('', { status: 404 });
    const key = request.headers.get('authorization') ?? request.headers.get('x-goog-api-key') ?? 'no key';
    this.asked.push(`${request.method} ${pathname} ${key}`);
    if (/\/(?:files|pbxt)\//.test(pathname)) {
      return new Response(CLIP, { headers: { 'content-type': /\.png$/.test(pathname) ? 'image/png' : 'video/mp4' } });
    }
    const { status, body } = this.next(request.method) ?? { status: 500, body: '' };
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return new Response(body.replaceAll(FILE_HOST, this.origin), { status, headers });
  }

  private isOther(pathname: string): boolean {
    if (/\/(?:files|pbxt)\//.test(pathname)) return false;
    const { id, request_id: requestId, name } = asObject(parseJson(this.current?.create.body ?? ''));
    return !pathname.endsWith(`/${id ?? requestId ?? name}`);
  }

  private next(method: string): Recorded | undefined {
    if (this.current === null) return undefined;
    const { create, polls } = this.current;
    return method === 'POST' ? create : polls[Math.min(this.polled++, polls.length - 1)];
  }
}

const PRICE = { pricing: { per_request: '0.25' } };

export interface SequenceBedOptions {
  readonly sequences: readonly Sequence[];
  /** Further channels, and their image models. */
  readonly channels?: readonly object[];
  readonly imageModels?: readonly string[];
}

/**
 * A gateway in front of a provider that plays sequences, with the client's and the operator's view of the
 * tasks.
 */
export class SequenceBed {
  private constructor(
    readonly provider: Provider,
    readonly space: Workspace,
    readonly serving: Serving,
  ) {}

  /** `optionsFor` gets the provider's address. */
  static async start(
    optionsFor: (origin: string) => SequenceBedOptions | Promise<SequenceBedOptions>,
  ): Promise<SequenceBed> {
    const provider = new Provider();
    const { sequences, channels = [], imageModels = [] } = await optionsFor(provider.origin);
    const space = await Workspace.create();
    const played = (['replicate', 'xai', 'google'] as const).map((name) => ({
      ...{ id: name, provider: name, api_key: `${name}-key` },
      base_url: `${provider.origin}/${name === 'google' ? 'v1beta' : 'v1'}`,
      models: Object.fromEntries(
        sequences.filter((one) => one.provider === name).map((one) => [one.name, one.upstreamModel]),
      ),
    }));
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      media: { allow_http: true, allowed_ranges: ['127.0.0.0/8'] },
      tasks: { poll_interval_ms: 10 },
      channels: [...played.filter(({ models }) => Object.keys(models).length > 0), ...channels],
      models: [
        ...sequences.map(({ name, endpoint }) => ({ id: name, category: endpoint.slice(0, -1), ...PRICE })),
        ...imageModels.map((id) => ({ id, category: 'image', ...PRICE })),
      ],
      accounts: [
        accountWith('payer', [keyNamed('payer')], {
          billing: 'prepaid',
          balance_usd: '100',
          requests_per_minute: 1_000_000,
        }),
      ],
    });
    return new SequenceBed(provider, space, await space.serve({ env: { SWITCHYARD_CONFIG } }));
  }

  async stop(): Promise<void> {
    await this.space.remove();
    await this.provider.stop();
  }

  async create(endpoint: Sequence['endpoint'], body: object): Promise<Answer> {
    const url = `${this.serving.baseUrl}/${endpoint}/generations`;
    return answerOf(await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) }));
  }

  async read(id: string): Promise<Readonly<Record<string, unknown>>> {
    return (await answerOf(await fetch(`${this.serving.baseUrl}/tasks/${id}`, { headers: HEADERS }))).json;
  }

  async begin(sequence: Sequence, extra: object = {}): Promise<string> {
    this.provider.play(sequence);
    const isImage = sequence.endpoint === 'images';
    const body = { model: sequence.name, prompt: 'robots', ...(isImage && { async: true }), ...extra };
    const { status, json } = await this.create(sequence.endpoint, body);
    expect({ status, json }).toMatchObject({ status: 200, json: { status: 'pending' } });
    return String(json.id);
  }

  async final(id: string): Promise<Readonly<Record<string, unknown>>> {
    let task: Readonly<Record<string, unknown>> = {};
    const seen: string[] = [];
    await until('the task is final', async () => {
      task = await this.read(id);
      if (seen.at(-1) !== task.status) seen.push(String(task.status));
      return task.status === 'completed' || task.status === 'failed';
    });
    const order = ['pending', 'processing', 'completed', 'failed'];
    expect(seen).toEqual(seen.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
    return task;
  }

  /** Resolves to the task as the operator sees it. */
  async shown(id: string): Promise<Readonly<Record<string, unknown>>> {
    return asObject(parseJson((await this.space.run(['tasks', 'show', id, '--json'])).stdout));
  }

  async expectMade(id: string, items: number): Promise<Readonly<Record<string, unknown>>[]> {
    const task = await this.final(id);
    expect({ ...task, error: task.error }).toMatchObject({ status: 'completed', error: undefined });
    const data = asArray(task.data).map(asObject);
    expect(data).toHaveLength(items);
    for (const { url } of data) {
      const file = await fetch(String(url));
      expect({ url, status: file.status, bytes: await file.bytes() }).toEqual({ url, status: 200, bytes: CLIP });
    }
    expect(await this.shown(id)).toMatchObject({ stage: 'completed', cost_usd: '0.25', hold: { state: 'settled' } });
    return data;
  }

  async expectFailed(id: string, sentence: RegExp, code: string): Promise<void> {
    const task = await this.final(id);
    expect(task).toMatchObject({ status: 'failed', error: expect.stringMatching(sentence) });
    expect(task.data).toBeUndefined();
    expect(await this.shown(id)).toMatchObject({
      ...{ stage: 'failed', cost_usd: '0', ending: { kind: 'failed', code }, hold: { state: 'released' } },
    });
  }
}

/** Returns the last poll response of the provider. */
export const lastOf = ({ polls }: Sequence) => asObject(parseJson(polls.at(-1)?.body ?? ''));
