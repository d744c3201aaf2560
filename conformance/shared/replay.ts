import type { Service } from '../strict/check.ts';
import { exchangesFolder } from './recordings.ts';
import { ReplayServer } from './replay-server.ts';

/** The points at which a body is split: after each event of a stream, nowhere, or anywhere. */
export type Split = 'event' | 'whole' | 'random';

export interface ReplayOptions {
  readonly split?: Split;
  readonly gapMs?: number;
  /** Awaited after a piece of a response, in place of `gapMs`; pieces are numbered from 0. */
  readonly pause?: (piece: number) => Promise<unknown>;
  /** Further folders of exchanges, such as the recorded ones, with or without an `index.jsonl`. */
  readonly folders?: readonly string[];
  /** The port, for an upstream that becomes available later; any free one by default. */
  readonly port?: number;
}

export interface JournalEntry {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ReplayStats {
  readonly open: number;
  /** The number of open responses that have stalled. */
  readonly silent: number;
  readonly aborted: number;
  readonly served: number;
}

export interface Replay {
  /** The base URL for an OpenAI client, ending in `/v1`. */
  readonly baseUrl: string;
  /** Returns the base URL of a channel to this service, whose requests are checked by the rules of its strict upstream. */
  readonly strictUrlOf: (service: Service) => string;
  /** Returns why requests to such channels were rejected. */
  readonly refusals: () => readonly string[];
  readonly stats: () => ReplayStats;
  /** Returns the requests that the upstream has received, oldest first. */
  readonly journal: () => readonly JournalEntry[];
  readonly clearJournal: () => void;
  readonly stop: () => Promise<void>;
}

/** Returns the URL under a replay's base URL at which requests are checked by the rules of a service. */
export function strictUrl(baseUrl: string, { provider, wire }: Service): string {
  return baseUrl.replace(/\/v1$/, `/strict/${provider}/${wire}/v1`);
}

/** Starts the server that stands in for every upstream provider, with the project's own exchanges and those of `folders`. */
export async function startReplay(options: ReplayOptions = {}): Promise<Replay> {
  const { split = 'random', gapMs = 0, pause = null, folders = [], port = 0 } = options;
  const server = new ReplayServer({ folders: [...new Set([exchangesFolder, ...folders])], split, gapMs, pause });
  const origin = `http://127.0.0.1:${await server.listen(port)}`;
  return {
    baseUrl: `${origin}/v1`,
    strictUrlOf: (service) => strictUrl(`${origin}/v1`, service),
    refusals: () => server.refusals,
    stats: () => ({ ...server.stats }),
    journal: () => server.journal,
    clearJournal: () => void server.journal.splice(0),
    stop: () => server.stop(),
  };
}
