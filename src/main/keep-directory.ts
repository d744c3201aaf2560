import { hostname } from 'node:os';
import { DirectoryRefresh, type DirectorySource } from '../engine/directory/directory-source.ts';
import type { StoreWatch } from '../engine/health/store-watch.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { MediaStore } from '../engine/ports/media-store.ts';
import type { GatewayNode, NodeFacts, NodeRegistry, VersionsInForce } from '../engine/ports/node-registry.ts';
import { VERSION } from './build.ts';
import { newId } from './system.ts';

/** How soon a change by another process (`switchyard keys revoke`) is in force if the store does not notify. */
const REFRESH_MS = 200;
const BEAT_MS = 3_000;
/** How long after the last successful read of the database cached keys are trusted; afterwards they might be revoked. */
const TRUSTED_MS = 30_000;

export interface KeptDirectory {
  /** This process among the nodes. */
  readonly node: NodeFacts;
  /** Applies the changes of all processes now; resolves to whether models or channels have changed. Never rejects. */
  refresh(): Promise<boolean>;
  /** Why changes cannot be applied now, or `null`. */
  readonly problem: string | null;
  /** How far this process is, for operators. */
  readonly figures: DirectoryFigures;
  /** To be called once a second. */
  look(): void;
  stop(): Promise<void>;
}

export interface DirectoryFigures extends VersionsInForce {
  /** The time since the last successful comparison with the database. */
  readonly ageMs: number;
  /** How long another process has had a newer version in force; 0 if none has. */
  readonly lagMs: number;
  /** The living gateway processes on the database; `null` until they were read. */
  readonly nodes: number | null;
}

export interface KeepDirectoryOptions {
  readonly source: Pick<DirectorySource, 'refresh' | 'current' | 'versions'> & {
    readonly principals: Pick<DirectorySource['principals'], 'forget'>;
  };
  readonly store: Pick<StoreWatch, 'look'>;
  readonly nodes: NodeRegistry;
  readonly media: Pick<MediaStore, 'place' | 'setSplitFrom'>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Applies changes of other processes repeatedly, and announces the versions in force here. */
export async function keepDirectory({
  source,
  store,
  nodes,
  media,
  logger,
  clock,
}: KeepDirectoryOptions): Promise<KeptDirectory> {
  let error: string | null = null;
  let readAtMs = clock.monotonicMs();
  const refreshes = new DirectoryRefresh(source);
  const membership = new Membership({ nodes, media, logger, clock }, await media.place());
  // Before the first key lookup: changes do not wait for a process that is not listed.
  await membership.beat(source.versions);
  const refresh = async (): Promise<boolean> => {
    const askedAtMs = clock.monotonicMs();
    try {
      const changed = await refreshes.run();
      error = null;
      readAtMs = askedAtMs;
      if (changed) logger.info({ channels: source.current().channelCount }, 'configuration changed');
      return changed;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      if (error === null) logger.error({ reason }, 'the database cannot be read');
      error = reason;
      // A failed read probably means that writes fail, too: lets requests learn it without waiting.
      store.look();
      return false;
    } finally {
      membership.look(source.versions);
    }
  };
  let isRefreshing = false;
  const timer = setInterval(async () => {
    if (isRefreshing) return;
    isRefreshing = true;
    await refresh();
    isRefreshing = false;
  }, REFRESH_MS);
  const stopListening = nodes.onChange(() => void refresh());
  return {
    node: membership.facts,
    refresh,
    get problem() {
      return error === null ? null : 'the database cannot be read';
    },
    get figures() {
      const nowMs = clock.monotonicMs();
      const { accessVersion, servingVersion } = source.versions;
      return {
        accessVersion,
        servingVersion,
        ageMs: nowMs - readAtMs,
        ...membership.comparedAt(source.versions, nowMs),
      };
    },
    look: () => {
      if (clock.monotonicMs() - readAtMs > TRUSTED_MS) source.principals.forget(null);
    },
    stop: async () => {
      clearInterval(timer);
      stopListening();
      await membership.leave();
    },
  };
}

/** Lists this process among the nodes. */
class Membership {
  readonly facts: NodeFacts;
  private told: VersionsInForce | null = null;
  private toldAtMs = 0;
  private telling: Promise<void> | null = null;
  private latest: VersionsInForce | null = null;
  private hasLeft = false;
  private others: readonly GatewayNode[] | null = null;
  /** Since when another process has been ahead of this one, by the monotonic clock; `null` if none is. */
  private behindSinceMs: number | null = null;

  constructor(
    private readonly options: Pick<KeepDirectoryOptions, 'nodes' | 'media' | 'logger' | 'clock'>,
    mediaPlace: string | null,
  ) {
    this.facts = {
      id: newId('node_', 12),
      hostName: hostname(),
      processId: process.pid,
      version: VERSION,
      startedAtMs: options.clock.nowMs(),
      mediaPlace,
    };
  }

  /** Announces the versions in force if they changed, or if the last announcement is old. Sends one message at a time. */
  look(versions: VersionsInForce): void {
    this.latest = versions;
    if (this.telling !== null || this.hasLeft) return;
    const isOld = this.options.clock.monotonicMs() - this.toldAtMs >= BEAT_MS;
    if (!isOld && isSame(versions, this.told)) return;
    this.telling = this.beat(versions).finally(() => {
      this.telling = null;
      // Sends versions that arrived meanwhile; if the store is unreachable, the next look tries again.
      if (this.latest !== null && !isSame(this.latest, versions)) this.look(this.latest);
    });
  }

  /** Never rejects. */
  async beat(versions: VersionsInForce): Promise<void> {
    const { accessVersion, servingVersion } = versions;
    const { nodes, logger, clock } = this.options;
    this.toldAtMs = clock.monotonicMs();
    try {
      await nodes.beat({ ...this.facts, accessVersion, servingVersion });
      this.told = { accessVersion, servingVersion };
      this.others = await nodes.living();
      this.compareMediaPlaces(this.others);
    } catch (error) {
      logger.debug({ error: String(error) }, 'the node could not write its heartbeat');
    }
  }

  /** Compares these versions with those that all living processes announced last. */
  comparedAt(own: VersionsInForce, nowMs: number): Pick<DirectoryFigures, 'lagMs' | 'nodes'> {
    const isBehind = this.others?.some(
      ({ accessVersion, servingVersion }) => accessVersion > own.accessVersion || servingVersion > own.servingVersion,
    );
    if (isBehind === true) this.behindSinceMs ??= nowMs;
    else this.behindSinceMs = null;
    const lagMs = this.behindSinceMs === null ? 0 : nowMs - this.behindSinceMs;
    return { lagMs, nodes: this.others === null ? null : Math.max(1, this.others.length) };
  }

  private compareMediaPlaces(living: readonly GatewayNode[]): void {
    const { media } = this.options;
    const { mediaPlace } = this.facts;
    const others = mediaPlace === null ? [] : living;
    const apart = others.filter((node) => node.mediaPlace !== null && node.mediaPlace !== mediaPlace);
    media.setSplitFrom([...new Set(apart.map((node) => node.hostName))]);
  }

  async leave(): Promise<void> {
    this.hasLeft = true;
    await this.telling;
    await this.options.nodes.leave(this.facts.id).catch(() => undefined);
  }
}

function isSame(one: VersionsInForce, other: VersionsInForce | null): boolean {
  return one.accessVersion === other?.accessVersion && one.servingVersion === other.servingVersion;
}
