import type { Clock } from '../../src/engine/ports/clock.ts';
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
  /** The limits of each account, as the configuration writes them; its only key has the account's name. */
  readonly accounts: Readonly<Record<string, object>>;
  /** Further members of the key of an account. */
  readonly keys?: Readonly<Record<string, object>>;
  readonly nodes?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Further sections of the configuration. */
  readonly settings?: object;
  readonly answer?: Answering;
  /** The channels to the upstream; by default one that serves `MODEL`. */
  readonly channels?: (upstream: FakeUpstream) => readonly object[];
  /** The clock of all gateways; the system's by default. */
  readonly clock?: Clock;
}

export async function startLimitsBed(options: LimitsBedOptions): Promise<LimitsBed> {
  const { accounts, keys = {}, nodes = 1, env = {}, settings = {}, answer = chatAnswer, clock } = options;
  const { channels = (to) => [channelTo(to, { models: { [MODEL]: MODEL } })] } = options;
  const upstream = startUpstream(answer);
  const spaces: Workspace[] = [];
  const stop = async () => {
    await Promise.all(spaces.map((space) => space.remove()));
    await upstream.stop();
  };
  const configuration = {
    ...settings,
    channels: channels(upstream),
    accounts: Object.entries(accounts).map(([id, limits]) => accountWith(id, [keyNamed(id, keys[id])], limits)),
  };
  try {
    const started: Serving[] = [];
    for (let node = 0; node < nodes; node++) {
      const space = await Workspace.create();
      spaces.push(space);
      const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', configuration);
      started.push(
        await space.serve({ env: { ...env, SWITCHYARD_CONFIG }, ...(clock === undefined ? {} : { clock }) }),
      );
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

/** Sends `asks` requests at once, reads the responses to their ends, and returns how many were admitted. */
export async function burst(node: Serving, account: string, asks: number): Promise<number> {
  const statuses = await Promise.all(Array.from({ length: asks }, async () => (await asked(node, account)).status));
  const other = statuses.find((status) => status !== 200 && status !== 429);
  if (other !== undefined) throw new Error(`the gateway answered ${other}`);
  return statuses.filter((status) => status === 200).length;
}

export async function asked(node: Serving, account: string, options: AskOptions = {}): Promise<Response> {
  const response = await ask(node, account, options);
  await response.arrayBuffer();
  return response;
}
