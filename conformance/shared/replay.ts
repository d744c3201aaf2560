import path from 'node:path';
import { answersOk, freePort, startChild } from './child-process.ts';
import { recordingFolders } from './recordings.ts';

/** Where a body is cut into pieces: after each event of a stream, nowhere, or anywhere. */
export type Split = 'event' | 'whole' | 'random';

export interface ReplayOptions {
  readonly split?: Split;
  readonly gapMs?: number;
  /** Further folders of exchanges, each with an `index.jsonl` like that of the recordings. */
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
  readonly aborted: number;
  readonly served: number;
}

export interface Replay {
  /** The base URL for an OpenAI client, ending in `/v1`. */
  readonly baseUrl: string;
  readonly stats: () => Promise<ReplayStats>;
  /** What the upstream has received, oldest first. */
  readonly journal: () => Promise<readonly JournalEntry[]>;
  readonly clearJournal: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts the server that stands in for every upstream provider and answers with recorded exchanges and the project's own. */
export async function startReplay(options: ReplayOptions = {}): Promise<Replay> {
  const { split = 'random', gapMs = 0, folders = [] } = options;
  const port = options.port ?? (await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const child = await startChild({
    name: 'the replay server',
    command: [
      process.execPath,
      path.join(import.meta.dir, 'replay-server.ts'),
      ...['--port', String(port), '--split', split, '--gap-ms', String(gapMs)],
      ...[...recordingFolders(), ...folders].flatMap((folder) => ['--dir', folder]),
    ],
    ready: () => answersOk(`${origin}/_replay/stats`),
  });
  const look = async (path: string, method = 'GET') => (await fetch(`${origin}/_replay/${path}`, { method })).json();
  return {
    baseUrl: `${origin}/v1`,
    stats: async () => (await look('stats')) as ReplayStats,
    journal: async () => (await look('journal')) as readonly JournalEntry[],
    clearJournal: async () => void (await look('journal', 'DELETE')),
    stop: child.stop,
  };
}
