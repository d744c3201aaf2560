import { Database } from 'bun:sqlite';
import type { Clock } from '../../src/engine/ports/clock.ts';
import { type Replay, startReplay } from '../shared/replay.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import type { Place } from './ask.ts';
import { writeMadeRecordings } from './made-recordings.ts';
import type { Answers } from './upstreams.ts';

/** A gateway in front of one replay that fails on demand and one that is always healthy. */
export interface FaultBed {
  readonly space: Workspace;
  readonly bad: Replay;
  readonly good: Replay;
  readonly place: () => Place;
  readonly serving: () => Serving;
  /** Restarts the gateway over the same data folder. */
  readonly restart: () => Promise<void>;
  /** Rejects if a provider would have refused a request of the gateway. */
  readonly stop: () => Promise<void>;
}

export const API_KEY = 'sk-faults-0123456789abcdef0123456789abcdef';

export interface BedOptions {
  readonly answers: Answers;
  /** Returns the sections of the configuration; an account with `API_KEY` is added. */
  readonly configure: (replays: { readonly bad: Replay; readonly good: Replay }) => object;
  /** Further keys of that account. */
  readonly keys?: readonly object[];
  /** Adds a second account without requests, which makes the channels shared. */
  readonly hasSecondAccount?: boolean;
  readonly stop?: () => Promise<void>;
  /** The gateway's clock; the system clock by default. */
  readonly clock?: Clock;
}

const SECOND_ACCOUNT = { id: 'second', keys: [{ id: 'main', name: 'main', secret: `${API_KEY}-second` }] };

export async function startFaultBed({
  answers,
  configure,
  keys = [],
  hasSecondAccount = false,
  stop,
  clock,
}: BedOptions): Promise<FaultBed> {
  const space = await Workspace.create();
  const stops: (() => Promise<unknown>)[] = [() => space.remove(), ...(stop === undefined ? [] : [stop])];
  const replays: Replay[] = [];
  const stopAll = async () => {
    await Promise.all(stops.map((one) => one()));
    const refusals = replays.flatMap((replay) => replay.refusals());
    if (refusals.length > 0) throw new Error(`providers would have refused requests:\n${refusals.join('\n')}`);
  };
  try {
    await writeMadeRecordings(space.path('made-recordings'), answers);
    const { folders } = answers;
    const made = [...folders, space.path('made-recordings')];
    const [bad, good] = await Promise.all([
      // The pauses let the first half of a response arrive before its connection is cut, which discards unread bytes.
      startReplay({ split: 'event', gapMs: 2, folders: made }),
      startReplay({ split: 'random', folders }),
    ]);
    stops.push(bad.stop, good.stop);
    replays.push(bad, good);
    const account = {
      ...{ id: 'faults', role: 'VIP', billing: 'unlimited', requests_per_minute: 1_000_000 },
      keys: [{ id: 'main', name: 'main', secret: API_KEY }, ...keys],
    };
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      ...configure({ bad, good }),
      accounts: hasSecondAccount ? [account, SECOND_ACCOUNT] : [account],
    });
    const start = () => space.serve({ env: { SWITCHYARD_CONFIG }, ...(clock === undefined ? {} : { clock }) });
    let serving = await start();
    return {
      ...{ space, bad, good, stop: stopAll },
      place: () => ({ origin: serving.origin, apiKey: API_KEY }),
      serving: () => serving,
      restart: async () => {
        await serving.stop();
        serving = await start();
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** The columns of the request log that these tests read. */
export interface LogRow {
  readonly model_id: string | null;
  readonly status: number;
  readonly failure_kind: string | null;
  /** JSON: the failed attempts, in order. */
  readonly failed_attempts?: string | null;
}

/** Resolves to the gateway's request log, or that of one model, once it has `atLeast` rows: it is written with a delay. */
export async function requestLog({ space }: FaultBed, atLeast: number, model?: string): Promise<readonly LogRow[]> {
  const database = new Database(space.database, { readonly: true });
  try {
    const where = 'FROM request_log WHERE $model IS NULL OR model_id = $model';
    const written = database.query<{ rows: number }, { $model: string | null }>(`SELECT count(*) AS rows ${where}`);
    const $model = model ?? null;
    await until('the request log is written', () => (written.get({ $model })?.rows ?? 0) >= atLeast);
    return database.query<LogRow, { $model: string | null }>(`SELECT * ${where} ORDER BY id`).all({ $model });
  } finally {
    database.close();
  }
}
