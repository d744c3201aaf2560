import type { Channel } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { ServerRules } from '../directory/channel-in-use.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Upstream } from '../ports/upstream.ts';
import {
  manifestOf,
  type RecognizedServer,
  recognizeServer,
  serverInSettings,
  UNKNOWN_SERVER,
} from './recognize-server.ts';

const MOST_KNOWN = 10_000;
/** The most addresses that are asked at once, and that wait. Further ones are asked when their channel is next used. */
const MOST_AT_ONCE = 8;
const MOST_WAITING = 1_000;
/** How long a result is trusted, since an address may get another server. */
const TRUSTED_MS = 3_600_000;
/** The delay after the first failed attempt; it doubles each time. */
const RETRY_MS = 10_000;
const MOST_RETRIES = 6;

export interface KnownServersPorts {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info'>;
}

interface Known {
  readonly server: RecognizedServer;
  /** The time of the next question, by the monotonic clock. */
  readonly askAgainAtMs: number;
  readonly failures: number;
}

interface Asked {
  readonly channel: Channel;
  readonly manifest: ProviderManifest;
}

/**
 * Recognizes the servers behind channels whose settings do not name them, in the background, so a channel's first requests may be encoded
 * without its server's rules. The result is cached in this process only, since it can be obtained again at any time.
 */
export class KnownServers implements ServerRules {
  /** Called with the owner of a channel whose targets were made for another server than the recognized one. */
  changed: (owner: string | null) => void = () => undefined;
  private readonly known = new Map<string, Known>();
  private readonly waiting = new Map<string, Asked>();
  /** Channels whose servers could not be reached. They are asked again even if they are not used. */
  private readonly unreached = new Map<string, Asked>();
  private readonly running = new Map<string, { readonly isNear: boolean; readonly asking: Promise<void> }>();

  constructor(private readonly ports: KnownServersPorts) {}

  manifestFor(channel: Channel, manifest: ProviderManifest): ProviderManifest {
    return manifestOf(manifest, this.serverOf(channel, manifest));
  }

  /** Returns the known server. An address that is unknown, or was last asked too long ago, is asked in the background. */
  serverOf(channel: Channel, manifest: ProviderManifest): RecognizedServer {
    const set = serverInSettings(channel, manifest);
    if (set !== null) return set;
    const known = this.known.get(keyOf(channel));
    if (known === undefined || known.askAgainAtMs <= this.ports.clock.monotonicMs()) this.ask({ channel, manifest });
    return known?.server ?? UNKNOWN_SERVER;
  }

  /** Resolves when the local addresses being asked have answered, so that a start can wait for them. */
  async nearOnesKnown(): Promise<void> {
    await Promise.all([...this.running.values()].flatMap(({ isNear, asking }) => (isNear ? asking : [])));
  }

  /** Asks unreachable servers that are due. Call it once a second. */
  look(): void {
    const nowMs = this.ports.clock.monotonicMs();
    for (const [key, asked] of this.unreached) {
      const known = this.known.get(key);
      if (known === undefined || known.failures > MOST_RETRIES) this.unreached.delete(key);
      else if (known.askAgainAtMs <= nowMs) this.ask(asked);
    }
  }

  private ask(asked: Asked): void {
    const key = keyOf(asked.channel);
    if (this.running.has(key) || this.waiting.has(key) || this.waiting.size >= MOST_WAITING) return;
    this.waiting.set(key, asked);
    this.next();
  }

  private next(): void {
    for (const [key, asked] of this.waiting) {
      if (this.running.size >= MOST_AT_ONCE) return;
      this.waiting.delete(key);
      const asking = this.recognize(asked).finally(() => {
        this.running.delete(key);
        this.next();
      });
      this.running.set(key, { isNear: isNear(asked.channel), asking });
    }
  }

  private async recognize({ channel, manifest }: Asked): Promise<void> {
    const { upstream, clock, logger } = this.ports;
    const found = await recognizeServer(upstream, channel, manifest);
    const key = keyOf(channel);
    const before = this.known.get(key);
    const nowMs = clock.monotonicMs();
    if (found instanceof Failure) {
      const failures = (before?.failures ?? 0) + 1;
      const waitMs = failures > MOST_RETRIES ? TRUSTED_MS : RETRY_MS * 2 ** (failures - 1);
      this.note(key, { server: before?.server ?? UNKNOWN_SERVER, askAgainAtMs: nowMs + waitMs, failures });
      if (this.unreached.size < MOST_WAITING) this.unreached.set(key, { channel, manifest });
      return;
    }
    this.unreached.delete(key);
    this.note(key, { server: found, askAgainAtMs: nowMs + TRUSTED_MS, failures: 0 });
    if (found.family === (before?.server.family ?? null)) return;
    const server = found.family?.name ?? 'unknown';
    logger.info({ channelId: channel.id, server }, 'a channel’s server was detected');
    this.changed(channel.owner);
  }

  private note(key: string, known: Known): void {
    this.known.delete(key);
    this.known.set(key, known);
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }
}

/**
 * Returns whether an address is local or numeric. Such an address shows at once whether it is reachable, while resolving a name may take
 * long.
 */
function isNear({ baseUrl }: Channel): boolean {
  const hostname = URL.parse(baseUrl ?? '')?.hostname ?? '';
  return hostname === 'localhost' || /^[\d.]+$|^\[/.test(hostname);
}

function keyOf({ id, baseUrl }: Channel): string {
  return `${id} ${baseUrl}`;
}
