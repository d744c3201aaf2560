import {
  accountWith,
  channelTo,
  chatAnswer,
  clientKey,
  type FakeUpstream,
  keyNamed,
  type ReceivedRequest,
  refusal,
  startUpstream,
} from '../first-light/upstream.ts';
import { type Answer, answerOf } from '../shared/answer.ts';
import type { Serving } from '../shared/serving.ts';
import { RunningClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/*
 * A service with models of all eleven categories, some from the catalog and some known only from its configuration, a
 * customer with private channels, and another customer who must never see them.
 */

/** The categories of the contract, written out again rather than imported from `MODEL_CATEGORIES`. */
export const CATEGORIES = [
  'chat',
  'image',
  'video',
  'audio',
  'tts',
  'stt',
  'music',
  '3d',
  'embedding',
  'rerank',
  'translation',
] as const;
/** The values of `recommended_for`. */
export const SCENES = ['image', 'video', 'music', '3d', 'tts', 'stt', 'embedding', 'rerank', 'translation'] as const;

/** Each is the id and the only key of an account, except `narrow`, which is another key of `owner`'s account. */
export const KEYS = { owner: 'owner', narrow: 'narrow', other: 'other', revoked: 'revoked', paced: 'paced' } as const;
export const NARROW_LIST = ['gpt-4.1-mini', 'studio/*', 'secret-model'];
export const PACED_LIMIT = 12;

/** From the catalog, by channel alone. */
const KNOWN = [
  'gpt-4.1-mini',
  'gpt-image-2.6-flare',
  'whisper-1',
  'text-embedding-3-small',
  'gemini-2.5-flash',
  'claude-haiku-4-5',
];
/** Undeclared, and in no catalog. */
export const UNKNOWN = ['house-model', 'meta-nobody/llama-0.3:free'];

const DECLARED = [
  { id: 'talker', category: 'audio', pricing: { input_per_1m: '1', output_per_1m: '2', audio_input_per_1m: '32' } },
  { id: 'clips:turbo', category: 'video', owned_by: 'studio', pricing: { per_second: '0.10' } },
  { id: 'reader', category: 'tts', pricing: { per_character: '0.000015' } },
  { id: 'studio/melody-1', category: 'music', owned_by: 'studio', pricing: { per_request: '0.08' } },
  { id: 'studio/mesh:turbo', category: '3d', owned_by: 'studio', pricing: { per_request: '0.50' } },
  { id: 'sorter', category: 'rerank', owned_by: 'studio', pricing: 'free', tags: ['sorting'] },
  { id: 'to-english', category: 'translation', pricing: 'unknown' },
  {
    id: 'lumen-7b',
    name: 'Lumen 7B',
    description: 'A model of the house.',
    owned_by: 'google',
    category: 'chat',
    tags: ['fast', 'house'],
    capabilities: { input: ['text', 'image'], features: ['tools', 'streaming'], context: 128_000, max_output: 8_192 },
    pricing: { input_per_1m: '0.25', output_per_1m: '1.5' },
  },
  // Two models that make images within a conversation; one of them fails.
  { id: 'painter-good', category: 'image', owned_by: 'studio', operations: ['images.generations', 'chat.completions'] },
  { id: 'painter-poor', category: 'image', owned_by: 'studio', operations: ['images.generations', 'chat.completions'] },
];

/**
 * Models that must stay invisible. For each reason there is one with a distinctive name, and one whose name resembles
 * `lumen-7b`.
 */
export const UNSEEN = {
  hidden: ['qqzz-hhhh', 'lumen-7c'],
  held: ['qqzz-oooo', 'lumen-7d'],
  'not served and not declared public': ['qqzz-ssss', 'lumen-7e'],
  "another account's": ['qqzz-pppp', 'lumen-7f'],
} as const;
/** The same for names that do not exist. */
export const NOWHERE = ['qqzz-nnnn', 'lumen-7g'] as const;

const WITHOUT_CHANNEL = [
  { id: 'announced', status: 'public', category: 'chat', owned_by: 'soon', pricing: { input_per_1m: '9' } },
  ...UNSEEN['not served and not declared public'].map((id) => ({ id, category: 'chat' })),
];

export interface WorldOptions {
  /** Additional or replaced sections of the configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Further models that are declared and served. */
  readonly models?: readonly ({ readonly id: string } & Readonly<Record<string, unknown>>)[];
  /** Further models that are only declared. */
  readonly unserved?: readonly object[];
  /** Further channels to the same upstream, given by their differences. */
  readonly channels?: readonly object[];
}

export function configurationOf(
  upstream: Pick<FakeUpstream, 'baseUrl'>,
  { settings = {}, models = [], unserved = [], channels = [] }: WorldOptions,
) {
  const declared = [...DECLARED, ...models];
  const served = [...KNOWN, ...UNKNOWN, ...declared.map(({ id }) => id), ...UNSEEN.hidden, ...UNSEEN.held];
  const key = (name: string, extra: object = {}) => keyNamed(name, extra);
  const account = (name: string, keys: readonly object[] = [key(name)], extra: object = {}) =>
    accountWith(name, keys, { requests_per_minute: 1_000_000, ...extra });
  return {
    ...settings,
    channels: [
      // The customer's own channel comes first, with a different provider name.
      channelTo(upstream, {
        id: 'a-private',
        provider: 'vllm',
        owner: KEYS.owner,
        models: ['secret-model', 'shared-model', ...UNSEEN["another account's"]],
      }),
      channelTo(upstream, { models: [...served, 'shared-model'] }),
      ...channels.map((channel) => channelTo(upstream, channel)),
    ],
    models: [
      ...declared,
      ...UNSEEN.hidden.map((id) => ({ id, status: 'hidden' })),
      ...UNSEEN.held.map((id) => ({ id, status: 'hold' })),
      ...WITHOUT_CHANNEL,
      ...unserved,
      { id: 'secret-model', owned_by: 'secret-maker', tags: ['secret-tag'], pricing: { input_per_1m: '7' } },
    ],
    accounts: [
      account(KEYS.owner, [key(KEYS.owner), key(KEYS.narrow, { models: NARROW_LIST })]),
      account(KEYS.other),
      account(KEYS.revoked, [key(KEYS.revoked), key('spare')]),
      account(KEYS.paced, [key(KEYS.paced)], { requests_per_minute: PACED_LIMIT }),
    ],
  };
}

export interface AskOptions {
  readonly method?: string;
  /** The name of a key, sent as `Authorization: Bearer`; `null` for none. The owner's by default. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A gateway with this configuration. */
export class World {
  private constructor(
    readonly upstream: FakeUpstream,
    readonly space: Workspace,
    readonly clock: RunningClock,
    private node: Serving,
    private options: WorldOptions,
  ) {}

  static async start(options: WorldOptions = {}): Promise<World> {
    const upstream = startUpstream(answer);
    const space = await Workspace.create();
    const clock = new RunningClock();
    try {
      const node = await serveIn(space, clock, configurationOf(upstream, options));
      return new World(upstream, space, clock, node, options);
    } catch (error) {
      await space.remove();
      await upstream.stop();
      throw error;
    }
  }

  get origin(): string {
    return this.node.origin;
  }

  async ask(path: string, { method = 'GET', key = KEYS.owner, headers = {}, body }: AskOptions = {}): Promise<Answer> {
    const credential: Record<string, string> = key === null ? {} : { authorization: `Bearer ${clientKey(key)}` };
    const response = await fetch(`${this.origin}${path}`, {
      method,
      headers: { ...credential, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answerOf(response);
  }

  /** Applies another configuration to the running gateway, as an operator does. */
  async apply(options: WorldOptions): Promise<string> {
    this.options = options;
    const file = await this.space.write('switchyard.yaml', configurationOf(this.upstream, options));
    return (await this.command(['apply', file])).stdout;
  }

  async command(args: readonly string[]) {
    const result = await this.space.run(args, { clock: this.clock });
    if (result.exitCode !== 0) throw new Error(`${args.join(' ')}: ${result.stdout}${result.stderr}`);
    return result;
  }

  /** Stops the gateway and starts another one on the same data folder. */
  async restart(): Promise<void> {
    await this.node.stop();
    this.node = await serveIn(this.space, this.clock, configurationOf(this.upstream, this.options));
  }

  async stop(): Promise<void> {
    await this.space.remove();
    await this.upstream.stop();
  }
}

async function serveIn(space: Workspace, clock: RunningClock, configuration: object): Promise<Serving> {
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', configuration);
  return space.serve({ env: { SWITCHYARD_CONFIG, LOG_LEVEL: 'error' }, clock });
}

function answer(request: ReceivedRequest): Response {
  return request.model === 'painter-poor' ? refusal(500, 'out of paint') : chatAnswer(request);
}

/** Repeats the request until `isSo` accepts the value; a change takes a moment to reach a running gateway. */
export async function eventually<Value>(ask: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  let value = await ask();
  await until('the value is as expected', async () => {
    if (isSo(value)) return true;
    value = await ask();
    return isSo(value);
  });
  return value;
}
