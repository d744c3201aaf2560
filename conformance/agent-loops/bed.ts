import { type ConfiguredChannel, type Gateway, startGatewayWith } from '../shared/gateway.ts';
import type { Client, Form } from './clients/index.ts';
import { loopIn, promptOf, STEPS } from './script.ts';
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts';
import { CHANNELS, SHARED_MODELS } from './upstreams/index.ts';
import { different } from './upstreams/reading.ts';

const takesToolImages = new Set(
  [...CHANNELS, ...SHARED_MODELS.flatMap(({ channels }) => channels)].flatMap(({ id, upstream }) =>
    upstream.takesToolImages ? id : [],
  ),
);

export interface LoopCase {
  /** Unique: the upstreams identify the conversation by it. */
  readonly name: string;
  readonly client: Client;
  readonly form: Form;
  readonly asks: boolean;
  readonly model: string;
  /** The channels that answer the turns. */
  readonly answeredBy: readonly string[];
}

export interface LoopBed {
  /** Plays one loop and resolves to its problems. */
  play(one: LoopCase): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** How several gateways share their state. */
export interface Sharing {
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves when the other gateways have access to everything that one gateway knows by now. */
  readonly settled: () => Promise<void>;
}

const NOTHING: Sharing = { environment: {}, settled: async () => {} };

/** Starts a gateway with a channel for each upstream, all in one server; or several gateways that alternate. */
export async function startLoopBed(nodes = 1, sharing: Sharing = NOTHING): Promise<LoopBed> {
  const alone = CHANNELS.map((channel) => ({ channel, model: channel.id, priority: 0 }));
  const shared = SHARED_MODELS.flatMap(({ model, channels }) =>
    channels.map((channel, priority) => ({ channel, model, priority })),
  );
  const served = [...alone, ...shared];
  const server = startScriptedServer(served.map(({ channel }) => channel));
  try {
    const gateway = await startNodes(
      nodes,
      served.map(({ channel, model, priority }) => ({
        id: channel.id,
        name: channel.id,
        provider: channel.provider,
        base_url: server.baseUrlOf(channel),
        api_key: `key-of-${channel.id}`,
        formats: [channel.format],
        priority,
        // One turn of every loop fails, and the next turn must still use the channel.
        breaker: { minimum_requests: 1_000_000 },
        models: { [model]: channel.model },
      })),
      sharing,
    );
    return {
      play: (one) => play(one, server, gateway),
      stop: async () => {
        await gateway.stop();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

type Nodes = Pick<Gateway, 'origin' | 'apiKey' | 'stop'>;

/** Starts several gateways. Each request of a loop goes to the next one. */
async function startNodes(
  count: number,
  channels: readonly ConfiguredChannel[],
  { environment, settled }: Sharing,
): Promise<Nodes> {
  const gateways = await Promise.all(Array.from({ length: count }, () => startGatewayWith(channels, {}, environment)));
  const [first] = gateways;
  if (first === undefined) throw new Error('there is no gateway');
  const stopAll = () => Promise.all(gateways.map((gateway) => gateway.stop()));
  if (gateways.length === 1) return first;
  const asked = new Map<string | null, number>();
  const front = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      const loop = loopIn(body);
      const count = asked.get(loop) ?? 0;
      asked.set(loop, count + 1);
      const { origin } = gateways[count % gateways.length] ?? first;
      await settled();
      const { method, headers } = request;
      return fetch(`${origin}${pathname}${search}`, { method, headers, body });
    },
  });
  return {
    origin: `http://127.0.0.1:${front.port}`,
    apiKey: first.apiKey,
    stop: async () => {
      await front.stop(true);
      await stopAll();
    },
  };
}

async function play(
  { name, client, form, asks, model, answeredBy }: LoopCase,
  server: ScriptedServer,
  { origin, apiKey }: { readonly origin: string; readonly apiKey: string },
): Promise<readonly string[]> {
  const showsImages = client.takesToolImages && answeredBy.every((id) => takesToolImages.has(id));
  const seen = server.begin(name, { showsImages, keepsArgumentTexts: client.argumentsAreText, asks, answeredBy });
  const problems: string[] = [];
  try {
    const session = client.open({ origin, apiKey, model, form, asks, prompt: promptOf(name) });
    let reply = await session.ask();
    for (const [index, { text, calls }] of STEPS.entries()) {
      const found = { text: reply.text, calls: reply.calls.map((call) => ({ name: call.name, args: call.args })) };
      const wanted = { text: text ?? '', calls: calls.map((call) => ({ name: call.name, args: call.args })) };
      const wrong = different(`the client's answer ${index + 1}`, found, wanted);
      if (wrong !== null) problems.push(wrong);
      if (calls.length === 0 || reply.calls.length !== calls.length) break;
      reply = await session.answer(
        calls.flatMap((one, at) => {
          const call = reply.calls[at];
          return call === undefined ? [] : { call, found: showsImages ? one : { ...one, showsImage: false } };
        }),
      );
    }
  } catch (error) {
    if (seen.problems.length === 0) problems.push(String(error));
  }
  if (seen.problems.length + problems.length === 0 && seen.turns.length !== STEPS.length) {
    problems.push(`the upstreams answered ${seen.turns.length} turns`);
  }
  return [...seen.problems, ...problems];
}
