import { answerTo, modelList, type ScriptedAnswer } from './answers.ts';
import { strictUpstreams } from './index.ts';
import { receivedOf } from './received.ts';
import { type ReceivedRequest, type Refusal, refusalOf, type StrictUpstream } from './rule.ts';

export interface JournalEntry {
  /** The name of the strict upstream. */
  readonly upstream: string;
  readonly request: ReceivedRequest;
  readonly refusal: Refusal | null;
}

export interface StrictServer {
  /** The base URL of a channel to this upstream. */
  baseUrlOf(upstream: string): string;
  /** Every request except those about the upstream itself (GET), oldest first. */
  readonly journal: readonly JournalEntry[];
  /** The refusals of the upstreams, oldest first. */
  readonly refusals: readonly Refusal[];
  /** The requests that this upstream received, oldest first. */
  requestsTo(upstream: string): readonly ReceivedRequest[];
  /**
   * Queues responses to the next requests that this upstream accepts; later requests get the default
   * responses.
   */
  script(upstream: string, ...answers: readonly ScriptedAnswer[]): void;
  /** Empties the journal and the scripts. */
  clear(): void;
  stop(): Promise<void>;
}

/** Returns the upstream's response to a GET: its models, or other information about itself. */
function saidBy({ says = {}, models }: StrictUpstream, path: string): Response {
  const said = says[path];
  if (said !== undefined) return Response.json(said);
  return path === '/models' ? modelList(models) : new Response('Not Found', { status: 404 });
}

/** Starts all strict upstreams in one server, each at `/<name>`. */
export function startStrictServer(upstreams: readonly StrictUpstream[] = strictUpstreams): StrictServer {
  const byName = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
  const journal: JournalEntry[] = [];
  const scripts = new Map<string, ScriptedAnswer[]>();
  const upstreamNamed = (name: string): StrictUpstream => {
    const found = byName.get(name);
    if (found === undefined) throw new Error(`there is no strict upstream ${name}`);
    return found;
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const [, name = '', path = '/'] = /^\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
      const upstream = byName.get(name);
      if (upstream === undefined) return new Response(`there is no strict upstream ${name}`, { status: 404 });
      if (request.method === 'GET') return saidBy(upstream, path);
      const { method, headers } = request;
      const bytes = new Uint8Array(await request.arrayBuffer());
      const received = await receivedOf({ method, target: path + search, headers, bytes });
      const refusal = refusalOf(upstream, received);
      journal.push({ upstream: name, request: received, refusal });
      if (refusal === null) return answerTo(upstream.wire, received, scripts.get(name)?.shift());
      return Response.json(upstream.envelope(refusal.message, refusal.rule), { status: refusal.status });
    },
  });
  return {
    baseUrlOf: (name) => `http://127.0.0.1:${server.port}/${upstreamNamed(name).name}`,
    journal,
    get refusals() {
      return journal.flatMap(({ refusal }) => refusal ?? []);
    },
    requestsTo: (name) =>
      journal.flatMap(({ upstream, request }) => (upstream === upstreamNamed(name).name ? [request] : [])),
    script(name, ...answers) {
      const queue = scripts.get(upstreamNamed(name).name) ?? [];
      scripts.set(name, [...queue, ...answers]);
    },
    clear() {
      journal.length = 0;
      scripts.clear();
    },
    stop: () => server.stop(true),
  };
}
