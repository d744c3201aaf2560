import type { Service } from '../strict/check.ts';
import { exchangesFolder } from './recordings.ts';
import { ReplayServer } from './replay-server.ts';

/** Where a body is cut into pieces: after each event of a stream, nowhere, or anywhere. */
export type Split = 'event' | 'whole' | 'random';

export interface ReplayOptions {
  readonly split?: Split;
  readonly gapMs?: number;
  /** What is waited for after a piece of an answer, instead of that time; its number begins with 0. */
  readonly pause?: (piece: number) => Promise<unknown>;
  /** Further folders of exchanges, such as that of the recorded ones, with or without an `index.jsonl`. */
  readonly folders?: readonly string[];
  /** For an upstream that comes up where nothing listened before; any free one where it is left out. */
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
  /** Of those, the ones that have fallen silent in their middle. */
  readonly silent: number;
  readonly aborted: number;
  readonly served: number;
}

export interface Replay {
  /** The base URL for an OpenAI client, ending in `/v1`. */
  readonly baseUrl: string;
  /** The base URL of a channel to this service, whose requests are checked by the rules of its strict upstream. */
  readonly strictUrlOf: (service: Service) => string;
  /** Why requests to such channels were refused. */
  readonly refusals: () => readonly string[];
  readonly stats: () => ReplayStats;
  /** What the upstream has received, oldest first. */
  readonly journal: () => readonly JournalEntry[];
  readonly clearJournal: () => void;
  readonly stop: () => Promise<void>;
}

/** Returns the address below a replay's base URL at which requests are checked by the rules of a service. */
export function strictUrl(baseUrl: string, { provider, wire }: Service): string {
  return baseUrl.replace(/\/v1$/, `/strict/${provider}/${wire}/v1`);
}

/** Starts the server that stands in for every upstream provider and answers with the project's own exchanges, and those of `folders`. */
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
