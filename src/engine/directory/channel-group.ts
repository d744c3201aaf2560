import { byPriority, type Channel, placeOf } from '../../domain/catalog/channel.ts';
import { keyedChannels } from '../../domain/catalog/keyed-channel.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { PriceSheet } from '../../domain/money/price-sheet.ts';
import { entryOf } from '../../formats/shared/json/record.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { RoutingMemory } from '../health/routing-memory.ts';
import { ChannelInUse, type ServerRules } from './channel-in-use.ts';
import type { ModelCatalog } from './model-facts.ts';
import type { RelayChannel } from './relay-channel.ts';
import { type Offer, type RecentRoutes, type Routes, RouteTargets } from './routes.ts';
import type { TextTarget } from './target.ts';
import { withFactsOf } from './virtual-models.ts';

/** The dependencies that all groups of a directory share. */
export interface GroupPorts {
  readonly providers: ReadonlyMap<string, ProviderManifest>;
  readonly memory: RoutingMemory;
  readonly servers: ServerRules;
  readonly recent: RecentRoutes;
}

/** Group numbers are unique, so that cached routes of one group are never taken for another's. */
let groups = 0;

/**
 * The PLATFORM channels, or the PRIVATE channels of one account, with the models that they serve. A change of one group leaves the others
 * untouched, and the routes to a model are made on first use, so the time for a change does not grow with the number of models.
 */
export class ChannelGroup {
  private readonly number = ++groups;
  /** The channels in use; one with several keys has an entry for each key. */
  private readonly inUse: readonly ChannelInUse[];
  /** The number of channels in use. */
  readonly size: number;
  /** The routes over PLATFORM channels, by public id; those of accounts are in `RecentRoutes`. */
  private readonly routesById = new Map<string, Routes>();
  private sharedOffers: readonly Offer[] | null = null;
  private indexed: ReadonlyMap<string, readonly ChannelInUse[]> | null = null;
  private describedBy: ReadonlyMap<string, Channel> | null = null;
  /** The declared models that one of the channels names, in use or not. */
  readonly named: readonly string[];

  /** @param channels in use or not; the memory has adopted those in use */
  constructor(
    readonly owner: string | null,
    readonly channels: readonly Channel[],
    private readonly catalog: ModelCatalog,
    private readonly ports: GroupPorts,
  ) {
    const { providers, memory, servers } = ports;
    this.inUse = channels.flatMap((stored) => {
      const manifest = providers.get(stored.provider);
      const isInUse = stored.enabled && manifest !== undefined;
      if (!isInUse) return [];
      const keyed = keyedChannels(stored);
      const [channel = stored] = keyed;
      // Accounts may have many channels, so their servers are identified on first use.
      if (owner === null && manifest.servers !== undefined) servers.manifestFor(channel, manifest);
      return keyed.map((one) => new ChannelInUse(one, manifest, memory.health(placeOf(one)), catalog.facts, servers));
    });
    this.size = new Set(this.inUse.map(({ channel }) => channel.id)).size;
    this.named = owner === null ? [] : catalog.namedBy(channels);
  }

  /** Returns whether a channel can be asked for the model now. */
  isOpenFor(id: string, nowMs: number): boolean {
    return this.serving(id).some((one) => one.isOpenFor(id, nowMs));
  }

  /** Yields everything that is served, and for PLATFORM channels also models that are only declared. */
  offers(): Iterable<Offer> {
    if (this.owner !== null) return this.madeOffers();
    // All directories that share this group reuse the list.
    this.sharedOffers ??= [...this.madeOffers()];
    return this.sharedOffers;
  }

  private *madeOffers(): Iterable<Offer> {
    const index = this.index();
    for (const [id, serving] of index) yield this.offerOf(id, serving);
    if (this.owner !== null) return;
    for (const id of this.catalog.declared.keys()) if (!index.has(id)) yield this.offerOf(id, []);
  }

  /** Returns the offer under this id; `null` for none. */
  offer(id: string): Offer | null {
    const serving = this.serving(id);
    const isDeclared = this.owner === null && this.catalog.declared.has(id);
    return serving.length > 0 || isDeclared ? this.offerOf(id, serving) : null;
  }

  private offerOf(id: string, serving: readonly ChannelInUse[]): Offer {
    const declared = this.catalog.declared.get(id);
    const model = this.catalog.facts.resolve(id, this.describing(id, serving), declared);
    const isVirtual = declared !== undefined && declared.rules !== null;
    return {
      model: isVirtual && serving.length === 0 ? withFactsOf(model, declared, this.endsOf(id)) : model,
      channelCount: serving.length,
      servesTexts: serving.some((one) => one.servesTexts(id, entryOf(one.channel.models, id) ?? id)),
      isPublicAlone: declared?.status === 'public' || isVirtual,
    };
  }

  /** Returns the known models that the rules of a virtual model lead to. */
  private endsOf(id: string): readonly Model[] {
    const ends = this.catalog.virtual?.endsOf(id).filter((end) => end !== id) ?? [];
    return ends.flatMap((end) => this.offer(end)?.model ?? []);
  }

  /**
   * Returns the routes to the model with this id; `null` for none.
   *
   * @param shared the routes over PLATFORM channels, whose costs are compared with
   */
  routes(id: string, shared: Routes | null): Routes | null {
    if (this.owner === null) return this.sharedRoutes(id);
    const serving = this.serving(id);
    if (serving.length === 0) return null;
    return this.ports.recent.get(`${this.number} ${id}`, () => this.makeRoutes(this.offerOf(id, serving), shared));
  }

  private sharedRoutes(id: string): Routes | null {
    const known = this.routesById.get(id);
    if (known !== undefined) return known;
    const offer = this.offer(id);
    if (offer === null) return null;
    const made = this.makeRoutes(offer, null);
    this.routesById.set(id, made);
    return made;
  }

  private makeRoutes(offer: Offer, shared: Routes | null): Routes {
    const { model } = offer;
    const targets = new RouteTargets(model, shared?.costs);
    for (const one of this.serving(model.id)) targets.add(one, entryOf(one.channel.models, model.id) ?? model.id);
    return {
      ...offer,
      ...{ byFormat: targets.byFormat, byOperation: targets.byOperation, costs: targets.costs },
      prices: PriceSheet.parse(model.pricing),
      rotation: this.ports.memory.rotation(model.id, this.owner),
    };
  }

  /** Returns the channels that APIs over stored objects are passed through to, by priority and then by id. */
  relays(): readonly RelayChannel[] {
    const relays = this.inUse.flatMap((one) => one.relayed ?? []);
    return relays.sort((one, other) => byPriority(one.channel, other.channel));
  }

  /**
   * Returns a target at this place whose provider stores the answers of the format.
   *
   * @param routesTo returns the routes of one of this group's models
   */
  keeper(place: string, format: string, routesTo: (id: string) => Routes | null): TextTarget | null {
    const keeping = this.inUse.find(({ channel }) => placeOf(channel) === place);
    for (const [id, upstreamModel] of Object.entries(keeping?.channel.models ?? {})) {
      if (keeping?.keeps(format, id, upstreamModel) !== true) continue;
      const targets = routesTo(id)?.byFormat.get(format) ?? [];
      const found = targets.find((target) => target.place === place);
      if (found?.stores && found.wire.name === format) return found;
    }
    return null;
  }

  private serving(id: string): readonly ChannelInUse[] {
    // An account has few channels, and an index of all its models would be larger than the part that requests use.
    if (this.owner !== null) return this.inUse.filter(({ channel }) => Object.hasOwn(channel.models, id));
    this.indexed ??= this.index();
    return this.indexed.get(id) ?? [];
  }

  /** Returns the channels in use by the public ids of their models. */
  private index(): ReadonlyMap<string, readonly ChannelInUse[]> {
    if (this.indexed !== null) return this.indexed;
    const index = new Map<string, ChannelInUse[]>();
    for (const one of this.inUse) {
      for (const id of Object.keys(one.channel.models)) {
        const known = index.get(id);
        if (known) known.push(one);
        else index.set(id, [one]);
      }
    }
    return index;
  }

  /** Returns the channel that defines a model. Among PLATFORM channels it is the first by priority and id, in use or not. */
  private describing(id: string, serving: readonly ChannelInUse[]): Channel | null {
    if (this.owner !== null) return serving[0]?.channel ?? null;
    this.describedBy ??= firstByModel(this.channels.filter(({ provider }) => this.ports.providers.has(provider)));
    return this.describedBy.get(id) ?? null;
  }
}

function firstByModel(channels: readonly Channel[]): ReadonlyMap<string, Channel> {
  const first = new Map<string, Channel>();
  for (const channel of [...channels].sort(byPriority)) {
    for (const id of Object.keys(channel.models)) if (!first.has(id)) first.set(id, channel);
  }
  return first;
}
