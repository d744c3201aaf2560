import { createServer } from 'node:net';
import type { CallTimeouts } from '../../../domain/catalog/channel.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Upstream, UpstreamAnswer } from '../../../engine/ports/upstream.ts';
import type { Providers } from '../../../providers/manifest.ts';
import type { Settings } from '../settings.ts';
import { type ComparedClock, comparedWithDate } from './check-clock.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const PROBE_MS = 5_000;
const LARGEST_ANSWER_BYTES = 64 * 1024;
/** The number of channels that are probed concurrently. */
const PARALLEL_PROBES = 8;
/** After this no further channel is probed. */
const ALL_PROBES_MS = 30_000;

/** The known facts of a channel, from the store or from the configuration. */
export interface ProbedChannel {
  readonly id: string;
  readonly provider: string;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly apiKeys?: readonly unknown[];
}

/** Checks that `serve` could listen, or that a gateway already does. */
export async function checkPort(settings: Settings, upstream: Upstream): Promise<Finding> {
  const subject = 'port';
  const { host, port } = settings;
  const where = `${host}:${port}`;
  if (port === 0) return ok(subject, 'any free port');
  const problem = await listenProblem(host, port);
  if (problem === null) return ok(subject, `${where} is free`);
  if (problem === 'EACCES') return fail(subject, `${where} needs privileges that this user lacks: set PORT above 1023`);
  if (problem !== 'EADDRINUSE') return fail(subject, `${where} cannot be used (${problem}): set HOST or PORT`);
  if (await isGateway(host, port, upstream)) return ok(subject, `${where} is in use by a running gateway`);
  return fail(subject, `${where} is in use by another program: stop it, or set PORT`);
}

function listenProblem(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** Only Switchyard answers both `/healthz` and `/readyz` in these words. */
async function isGateway(host: string, port: number, upstream: Upstream): Promise<boolean> {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const base = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
  const [health, ready] = await Promise.all([
    statusIn(upstream, `${base}/healthz`),
    statusIn(upstream, `${base}/readyz`),
  ]);
  return health === 'ok' && (ready === 'ready' || ready === 'not_ready');
}

async function statusIn(upstream: Upstream, url: string): Promise<unknown> {
  const answer = await get(upstream, url);
  if (answer instanceof Failure) return undefined;
  const bytes = await answer.body.readAll({ limitBytes: LARGEST_ANSWER_BYTES });
  if (bytes instanceof Failure) return undefined;
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof json === 'object' && json !== null && 'status' in json ? json.status : undefined;
  } catch {
    return undefined;
  }
}

/** Checks channels: a known provider, a key, and an upstream that answers at all. Each address is asked once. */
export class ChannelProbes {
  /** The clocks of the upstreams that have answered. */
  readonly clocks: ComparedClock[] = [];
  private readonly asked = new Map<string, Promise<UpstreamAnswer | Failure>>();

  constructor(
    private readonly providers: Providers,
    private readonly upstream: Upstream,
    private readonly clock: Clock,
  ) {}

  async check(channels: readonly ProbedChannel[]): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    const endsAtMs = this.clock.monotonicMs() + ALL_PROBES_MS;
    for (let start = 0; start < channels.length; start += PARALLEL_PROBES) {
      if (this.clock.monotonicMs() > endsAtMs) {
        const left = channels.length - start;
        return [...findings, warn('channels', `${left} more were not checked, since the others took over 30 s`)];
      }
      const some = channels.slice(start, start + PARALLEL_PROBES);
      findings.push(...(await Promise.all(some.map((channel) => this.checkOne(channel)))));
    }
    return findings;
  }

  private async checkOne(channel: ProbedChannel): Promise<Finding> {
    const subject = `channel ${channel.id}`;
    const manifest = this.providers.get(channel.provider);
    if (manifest === undefined) return fail(subject, `unknown provider "${channel.provider}": choose another`);
    if (manifest.keyRequired && channel.apiKey === null && channel.apiKeys === undefined) {
      return fail(subject, `${manifest.label} needs a key: set api_key or ${manifest.keyVariables[0] ?? 'a variable'}`);
    }
    if (manifest.local !== undefined) return ok(subject, 'runs inside the gateway');
    const address = channel.baseUrl ?? manifest.baseUrl;
    if (address === null) return fail(subject, `${manifest.label} has no default address: set base_url`);
    const answer = await this.ask(address);
    if (answer instanceof Failure) {
      return warn(
        subject,
        `${address} does not respond (${answer.kind}): check base_url, the network and the firewall`,
      );
    }
    if (answer.status >= 500) return warn(subject, `${address} responded with HTTP ${answer.status}: ask its operator`);
    return ok(subject, `${address} responds (HTTP ${answer.status}); the key was not sent`);
  }

  private ask(address: string): Promise<UpstreamAnswer | Failure> {
    const asked = this.asked.get(address) ?? this.get(address);
    this.asked.set(address, asked);
    return asked;
  }

  private async get(address: string): Promise<UpstreamAnswer | Failure> {
    const answer = await get(this.upstream, address);
    if (answer instanceof Failure) return answer;
    answer.body.cancel();
    const compared = comparedWithDate(new URL(address).host, answer.headers.get('date'), this.clock.nowMs());
    if (compared !== null) this.clocks.push(compared);
    return answer;
  }
}

/** Sends a request without the channel's key: it only checks that a server answers. */
function get(upstream: Upstream, url: string) {
  const timeouts: CallTimeouts = {
    connectMs: PROBE_MS,
    firstByteMs: PROBE_MS,
    idleMs: PROBE_MS,
    totalMs: PROBE_MS,
  };
  return upstream.send({ url, method: 'GET', headers: {}, body: null, timeouts });
}
