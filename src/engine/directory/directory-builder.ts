import type { Channel } from '../../domain/catalog/channel.ts';
import { withinBounds } from '../../domain/catalog/channel-bounds.ts';
import { keyedChannels } from '../../domain/catalog/keyed-channel.ts';
import { Slices, type Turns } from '../../domain/concurrency/slices.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { RoutingMemory } from '../health/routing-memory.ts';
import type { ServingRows } from '../ports/directory-store.ts';
import type { Logger } from '../ports/logger.ts';
import { ChannelGroup, type GroupPorts } from './channel-group.ts';
import type { ServerRules } from './channel-in-use.ts';
import { Directory } from './directory.ts';
import { ModelCatalog } from './model-facts.ts';
import { RecentRoutes } from './routes.ts';

/** The parts of the directory that were read again. */
export interface ServingUpdate {
  /** Models, lists and PLATFORM channels; absent if unchanged. */
  readonly shared?: ServingRows;
  /** All PRIVATE channels of each account, by account. */
  readonly own: ReadonlyMap<string, readonly Channel[]>;
  /** Whether accounts that are not in `own` no longer have channels. */
  readonly isWhole: boolean;
}

export interface BuilderPorts {
  readonly providers: ReadonlyMap<string, ProviderManifest>;
  readonly memory: RoutingMemory;
  readonly servers: ServerRules;
  readonly logger: Pick<Logger, 'warn'>;
  readonly turns: Turns;
}

/** The most channels that a warning names. */
const MOST_NAMED = 20;

/**
 * Builds each directory from the previous one, remaking only changed groups of channels. It works in slices, so that no request waits for
 * more than one of them.
 */
export class DirectoryBuilder {
  private catalog: ModelCatalog;
  private shared: ChannelGroup;
  private own: ReadonlyMap<string, ChannelGroup> = new Map();
  private readonly groupPorts: GroupPorts;
  /** The ways of rules whose model no channel serves, as `virtual → model`. */
  private missingRules: ReadonlySet<string> = new Set();

  constructor(private readonly ports: BuilderPorts) {
    const { providers, memory, servers } = ports;
    this.groupPorts = { providers, memory, servers, recent: new RecentRoutes() };
    this.catalog = new ModelCatalog(providers, { models: [], syncedModels: [] });
    this.shared = this.group(null, []);
  }

  /** Builds the next directory. Calls must not overlap: await the previous one. */
  async next(update: ServingUpdate, sharing: { readonly hasSeveralAccounts: boolean }): Promise<Directory> {
    const slices = new Slices(this.ports.turns);
    const own = await this.bounded(update, slices);
    const { shared } = update;
    const adopted = new Map<string | null, readonly Channel[]>(shared === undefined ? [] : [[null, shared.channels]]);
    for (const [account, channels] of own) adopted.set(account, channels);
    this.adopt(adopted, sharing);
    if (shared !== undefined) {
      this.catalog = new ModelCatalog(this.ports.providers, shared);
      this.shared = this.group(null, shared.channels);
    }
    const groups = new Map(this.own);
    // New model facts change what an account's channels serve.
    const remade = shared === undefined ? own : new Map([...[...this.own].map(channelsOf), ...own]);
    for (const [account, channels] of remade) {
      if (channels.length === 0) groups.delete(account);
      else groups.set(account, this.group(account, channels));
      const pause = slices.next();
      if (pause !== null) await pause;
    }
    this.own = groups;
    if (shared !== undefined) this.warnOfRules();
    return new Directory({ catalog: this.catalog, shared: this.shared, own: groups, providers: this.ports.providers });
  }

  /** Returns the channels of the accounts in the update that are within the accounts' bounds. */
  private async bounded({ own, isWhole }: ServingUpdate, slices: Slices): Promise<Map<string, readonly Channel[]>> {
    const bounded = new Map<string, readonly Channel[]>();
    if (isWhole) for (const account of this.own.keys()) bounded.set(account, []);
    for (const [account, stored] of own) {
      const { channels, cut } = withinBounds(stored);
      if (cut.length > 0) this.warn(account, cut);
      bounded.set(account, channels);
      const pause = slices.next();
      if (pause !== null) await pause;
    }
    return bounded;
  }

  private warn(account: string, cut: readonly string[]): void {
    this.ports.logger.warn(
      { accountId: account, channelIds: cut.slice(0, MOST_NAMED), count: cut.length },
      'PRIVATE channels exceed the limit of models per account: the excess models are not served',
    );
  }

  /** Warns of rules that lead to models which no channel serves, when they begin to. */
  private warnOfRules(): void {
    const { virtual } = this.catalog;
    if (virtual === null) return;
    const isNamed = (id: string) => [this.shared, ...this.own.values()].some((group) => group.offer(id) !== null);
    const missing = new Set<string>();
    for (const id of virtual.ids()) {
      for (const end of virtual.endsOf(id)) if (!isNamed(end)) missing.add(`${id} → ${end}`);
    }
    const added = [...missing].filter((way) => !this.missingRules.has(way));
    this.missingRules = missing;
    if (added.length === 0) return;
    this.ports.logger.warn(
      { problems: added.slice(0, MOST_NAMED), count: added.length },
      'rules of virtual models lead to models that no channel serves: these rules are skipped',
    );
  }

  private adopt(
    channels: ReadonlyMap<string | null, readonly Channel[]>,
    sharing: { readonly hasSeveralAccounts: boolean },
  ): void {
    const { providers, memory } = this.ports;
    const isInUse = ({ enabled, provider }: Channel) => enabled && providers.has(provider);
    memory.adopt(
      new Map([...channels].map(([owner, own]) => [owner, own.filter(isInUse).flatMap(keyedChannels)])),
      sharing,
    );
  }

  private group(owner: string | null, channels: readonly Channel[]): ChannelGroup {
    return new ChannelGroup(owner, channels, this.catalog, this.groupPorts);
  }
}

function channelsOf([account, { channels }]: readonly [string, ChannelGroup]): readonly [string, readonly Channel[]] {
  return [account, channels];
}
