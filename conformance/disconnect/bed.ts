import { Database } from 'bun:sqlite';
import { accountWith, channelTo, clientKey, keyNamed } from '../first-light/upstream.ts';
import type { ClientFormat } from '../readers/index.ts';
import { CLIENT_FORMATS } from '../routing/client.ts';
import { type Replay, startReplay } from '../shared/replay.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import type { Workspace } from '../shared/workspace.ts';
import { streamSample, wholeSample } from './samples.ts';

export const KEY = clientKey('leaver');

/** How the upstream behaves while the client disconnects. */
export const SCENES = ['slow-stream', 'silent', 'silent-stream', 'silent-mid', 'silent-mid-stream', 'sound'] as const;
export type Scene = (typeof SCENES)[number];

const PROVIDERS: Readonly<Record<ClientFormat, string>> = {
  'openai-chat': 'openai-compatible',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'google',
};

export const LANES = ['relay', 'translate'] as const;
export type Lane = (typeof LANES)[number];

/** The upstream's format: each of the four is used once by a client and once by an upstream. */
const TRANSLATED: Readonly<Record<ClientFormat, ClientFormat>> = {
  'openai-chat': 'anthropic-messages',
  'openai-responses': 'openai-chat',
  'anthropic-messages': 'gemini',
  gemini: 'openai-responses',
};

export function modelFor(format: ClientFormat, lane: Lane, scene: Scene): string {
  return `${scene}-over-${lane === 'relay' ? format : TRANSLATED[format]}`;
}

function upstreamModel(format: ClientFormat, scene: Scene): string {
  const recording = scene.endsWith('stream') ? streamSample(format).id : wholeSample(format).id;
  if (scene.startsWith('silent-mid')) return `fault.hang-mid.${recording}`;
  return scene.startsWith('silent') ? `fault.hang.${recording}` : recording;
}

/** The number of events that a stream sends at once: enough for a client of any format to get a token. */
const FIRST_EVENTS = 8;

/** A running gateway and its upstream. */
export interface DisconnectBed<S extends Serving> {
  readonly replay: Replay;
  readonly serving: S;
  /** Lets each paused stream send one more event. */
  readonly nextEvent: () => void;
  /** Lets all streams run to their ends without a pause. */
  readonly goOn: () => void;
  /** Returns the number of logged requests whose client disconnected. */
  readonly loggedLeavers: () => number;
  readonly stop: () => Promise<void>;
}

/** A workspace in which the gateway is started; it is removed with the bed. */
export interface Space<S extends Serving> extends Pick<Workspace, 'database' | 'remove' | 'write'> {
  serve(options: { readonly env: Readonly<Record<string, string>> }): Promise<S>;
}

/** Starts a gateway with a channel in each of the four formats to one upstream, whose streams continue when the test says so. */
export async function startDisconnectBed<S extends Serving>(space: Space<S>): Promise<DisconnectBed<S>> {
  let next = Promise.withResolvers<void>();
  let isPaced = true;
  const pause = (piece: number) => (isPaced && piece >= FIRST_EVENTS ? next.promise : Bun.sleep(0));
  const nextEvent = () => {
    const { resolve } = next;
    next = Promise.withResolvers();
    resolve();
  };
  const goOn = () => {
    isPaced = false;
    nextEvent();
  };
  const replay = await startReplay({ split: 'event', pause });
  const stop = async () => {
    await space.remove();
    await replay.stop();
    const refusals = replay.refusals();
    if (refusals.length > 0) throw new Error(`providers would have refused requests:\n${refusals.join('\n')}`);
  };
  try {
    const channels = CLIENT_FORMATS.map((format) => {
      const provider = PROVIDERS[format];
      const baseUrl = replay.strictUrlOf({ provider, wire: format });
      const models = SCENES.map((scene) => [`${scene}-over-${format}`, upstreamModel(format, scene)]);
      return channelTo({ baseUrl }, { id: format, provider, formats: [format], models: Object.fromEntries(models) });
    });
    const accounts = [accountWith('leaver', [keyNamed('leaver')], { requests_per_minute: 1_000_000_000 })];
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', { channels, accounts });
    const serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
    const database = new Database(space.database, { readonly: true });
    const leavers = database.query<{ count: number }, []>(
      'select count(*) as count from request_log where client_gone = 1',
    );
    return { replay, serving, nextEvent, goOn, loggedLeavers: () => leavers.get()?.count ?? 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Disconnects the clients, and waits until the upstream has seen the same number of cancelled requests, none of them finished. */
export async function expectCancelled(
  { replay, nextEvent }: DisconnectBed<Serving>,
  clients: number,
  leave: () => void,
): Promise<void> {
  const before = replay.stats();
  leave();
  // Open streams are written to once more.
  nextEvent();
  await until(`the ${clients} upstream requests are cancelled`, () => replay.stats().open === 0);
  const after = replay.stats();
  const seen = { aborted: after.aborted - before.aborted, served: after.served - before.served };
  if (seen.aborted !== clients || seen.served !== 0) {
    throw new Error(`of ${clients} upstream requests: ${JSON.stringify(seen)}`);
  }
}
