import {
  type Answering,
  accountWith,
  channelTo,
  chatAnswer,
  clientKey,
  type FakeUpstream,
  keyNamed,
  startUpstream,
} from '../first-light/upstream.ts';
import type { ClientFormat } from '../readers/index.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';

export const MODEL = 'limited-model';

/** Gateways that know the same accounts, in front of one upstream. */
export interface LimitsBed {
  readonly upstream: FakeUpstream;
  readonly nodes: readonly Serving[];
  readonly stop: () => Promise<void>;
}

export interface LimitsBedOptions {
  /** The limits of each account, as the configuration has them; its one key is named like it. */
  readonly accounts: Readonly<Record<string, object>>;
  /** Further members of the key of an account. */
  readonly keys?: Readonly<Record<string, object>>;
  readonly nodes?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Further sections of the configuration. */
  readonly settings?: object;
  readonly answer?: Answering;
}

export async function startLimitsBed(options: LimitsBedOptions): Promise<LimitsBed> {
  const { accounts, keys = {}, nodes = 1, env = {}, settings = {}, answer = chatAnswer } = options;
  const upstream = startUpstream(answer);
  const spaces: Workspace[] = [];
  const stop = async () => {
    await Promise.all(spaces.map((space) => space.remove()));
    await upstream.stop();
  };
  const configuration = {
    ...settings,
    channels: [channelTo(upstream, { models: { [MODEL]: MODEL } })],
    accounts: Object.entries(accounts).map(([id, limits]) => accountWith(id, [keyNamed(id, keys[id])], limits)),
  };
  try {
    const started: Serving[] = [];
    for (let node = 0; node < nodes; node++) {
      const space = await Workspace.create();
      spaces.push(space);
      const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', configuration);
      started.push(await space.serve({ env: { ...env, SWITCHYARD_CONFIG } }));
    }
    return { upstream, nodes: started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface AskOptions {
  readonly format?: ClientFormat;
  readonly stream?: boolean;
  readonly model?: string;
  readonly signal?: AbortSignal;
}

/** A request with the key of the account. */
export function ask(node: Serving, account: string, options: AskOptions = {}): Promise<Response> {
  const { format = 'openai-chat', stream = false, model = MODEL, signal } = options;
  return fetch(`${node.origin}${pathOf(format, model, stream)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clientKey(account)}`, 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(format, model, stream)),
    ...(signal === undefined ? {} : { signal }),
  });
}

function pathOf(format: ClientFormat, model: string, stream: boolean): string {
  if (format === 'openai-chat') return '/v1/chat/completions';
  if (format === 'openai-responses') return '/v1/responses';
  if (format === 'anthropic-messages') return '/v1/messages';
  return `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
}

function bodyOf(format: ClientFormat, model: string, stream: boolean): object {
  const messages = [{ role: 'user', content: 'Hello!' }];
  if (format === 'openai-chat') return { model, messages, stream };
  if (format === 'openai-responses') return { model, input: 'Hello!', stream, store: false };
  if (format === 'anthropic-messages') return { model, max_tokens: 100, messages, stream };
  return { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] };
}

/** When a request was admitted: some time between these two. */
export interface Admitted {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Asks so often at once, reads the answers to their ends, and gives back the times of those that were admitted. */
export async function burst(node: Serving, account: string, asks: number): Promise<Admitted[]> {
  const fromMs = performance.now();
  const admitted: Admitted[] = [];
  await Promise.all(
    Array.from({ length: asks }, async () => {
      const { status } = await asked(node, account);
      if (status === 200) admitted.push({ fromMs, toMs: performance.now() });
      else if (status !== 429) throw new Error(`the gateway answered ${status}`);
    }),
  );
  return admitted;
}

export async function asked(node: Serving, account: string, options: AskOptions = {}): Promise<Response> {
  const response = await ask(node, account, options);
  await response.arrayBuffer();
  return response;
}

/** The most that were surely admitted in one window, whenever within their round trips that was. */
export function mostInOneWindow(admitted: readonly Admitted[], windowMs: number): number {
  const begins = admitted.map(({ fromMs }) => fromMs).sort((a, b) => a - b);
  const ends = admitted.map(({ toMs }) => toMs).sort((a, b) => a - b);
  let most = 0;
  for (const [first, fromMs] of begins.entries()) {
    let last = first;
    while (last < ends.length && (ends[last] ?? 0) - fromMs < windowMs) last++;
    most = Math.max(most, last - first);
  }
  return most;
}
