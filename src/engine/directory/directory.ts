import { type Channel, partsOfPlace, placeAt } from '../../domain/catalog/channel.ts';
import { channelWithKey } from '../../domain/catalog/keyed-channel.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { type ModelOperation, servesChat } from '../../domain/catalog/model-operation.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { PriceSheet } from '../../domain/money/price-sheet.ts';
import { compareText } from '../../domain/text/compare-text.ts';
import { clientFormats, operationWires } from '../../formats/index.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { ChannelGroup } from './channel-group.ts';
import type { GuardsInForce } from './guards-in-force.ts';
import type { ModelCatalog, ModelFacts } from './model-facts.ts';
import type { RelayChannel } from './relay-channel.ts';
import type { Offer, Routes } from './routes.ts';
import { chooseRuleModel } from './rule-model.ts';
import { type ChannelParts, channelParts, makeTarget, routingFactsOf, type Target, type TextTarget } from './target.ts';
import type { VirtualModels } from './virtual-models.ts';

/** The unordered targets of a model that one account may use; empty if no channel serves a declared model. */
export interface Ways<T extends Target> extends Pick<Routes, 'model' | 'costs' | 'prices' | 'rotation'> {
  readonly targets: readonly T[];
}

/** The channel and wire to which a job was submitted. */
export interface JobPlace {
  readonly channelId: string;
  /** The id of the upstream key; absent for the channel's only one. */
  readonly keyId?: string;
  readonly wire: string;
  readonly upstreamModel: string;
}

/** The most models in all accounts' cached lists together, about 1 KB each. */
const MOST_KEPT_MODELS = 100_000;

/** The parts of a directory. */
export interface DirectoryParts {
  readonly catalog: ModelCatalog;
  /** The PLATFORM channels. */
  readonly shared: ChannelGroup;
  /** The PRIVATE channels, by account. */
  readonly own: ReadonlyMap<string, ChannelGroup>;
  readonly providers: ReadonlyMap<string, ProviderManifest>;
}

/** An immutable snapshot of models and channels. A change makes a new one, so requests in flight are unaffected. */
export class Directory {
  private readonly catalog: ModelCatalog;
  private readonly shared: ChannelGroup;
  private readonly own: ReadonlyMap<string, ChannelGroup>;
  private readonly providers: ReadonlyMap<string, ProviderManifest>;
  /** The declared models that an account's own channel names, in use or not. */
  private readonly named = new Set<string>();
  private sharedModels: readonly Model[] | null = null;
  /** The lists of accounts that have requested theirs. */
  private readonly ownModels = new Map<string, readonly Model[]>();
  private ownModelCount = 0;
  /** The parts of channels that jobs were submitted to, made on first use. */
  private readonly jobParts = new Map<string, ChannelParts | null>();
  private readonly jobWays = new Map<string, Target | null>();
  /** The channels that were looked up. */
  private readonly channelsInUse = new Map<string, Channel | null>();

  constructor({ catalog, shared, own, providers }: DirectoryParts) {
    this.catalog = catalog;
    this.shared = shared;
    this.own = own;
    this.providers = providers;
    for (const group of own.values()) for (const id of group.named) this.named.add(id);
  }

  get modelFacts(): ModelFacts {
    return this.catalog.facts;
  }

  /** The models with rules; `null` if there are none. */
  get virtualModels(): VirtualModels | null {
    return this.catalog.virtual;
  }

  /** The guards of the operator, and the models that have some; `null` for neither. */
  get guards(): GuardsInForce | null {
    return this.catalog.guards;
  }

  /** Whether a model has a search model of its own. */
  get hasSearchModels(): boolean {
    return this.catalog.hasSearchModels;
  }

  /** Returns whether a channel of this account, healthy or not, or rules serve the model, which may be hidden. */
  isServed(modelId: string, accountId: string): boolean {
    const routes = this.visibleRoutes(modelId, accountId, true);
    return routes.some(({ model, byFormat, byOperation }) => {
      return model.rules !== undefined || byFormat.size > 0 || byOperation.size > 0;
    });
  }

  /** Returns a model that a channel of this account serves or that has rules, and that may be hidden; `null` for none. */
  servedModel(modelId: string, accountId: string): Model | null {
    return this.visibleRoutes(modelId, accountId, true)[0]?.model ?? null;
  }

  /**
   * Returns whether a request for the model can cost something: over a shared channel at a known price, or over a channel of the account if
   * these have a fee.
   */
  mayCost(modelId: string, accountId: string, hasFee: boolean): boolean {
    const shared = this.shared.routes(modelId, null);
    const { prices = null, channelCount = 0 } = shared ?? {};
    if (prices !== null && !prices.isFree && channelCount > 0) return true;
    return hasFee && this.ownRoutes(modelId, accountId, shared) !== null;
  }

  /** Returns a model as this channel serves it, whatever its status. */
  modelOf(id: string, channel: Channel): Model {
    return this.modelFacts.resolve(id, channel, this.catalog.declared.get(id));
  }

  /** Returns a model that this account can use; without an account, one that every account can use. */
  visibleModel(id: string, accountId: string | null): Model | undefined {
    return this.visibleOffer(id, accountId)?.model;
  }

  /**
   * Returns the targets of a model that this account may use, for a client that speaks `clientFormat`. `null` for a model that is unknown,
   * hidden, on hold or served by no channel of this account: the contract does not let a client tell these apart (Errors, rule 1). With
   * `mayBeHidden`, a hidden model is found, too.
   */
  routesTo(modelId: string, accountId: string, clientFormat: string, mayBeHidden = false): Ways<TextTarget> | null {
    // The shared channels define the model and its price, even if the account has channels of its own.
    const [first, second] = this.visibleRoutes(modelId, accountId, mayBeHidden);
    if (!first) return null;
    const targets = first.byFormat.get(clientFormat) ?? [];
    const { model, prices, rotation } = first;
    const more = second?.byFormat.get(clientFormat);
    const { costs } = second ?? first;
    return { model, targets: more ? [...targets, ...more] : targets, costs, prices, rotation };
  }

  /** Returns the fallbacks that an operator has declared for a model, whether or not a channel serves it; empty for none. */
  declaredFallbacks(modelId: string): readonly string[] {
    return this.catalog.declared.get(modelId)?.fallbacks ?? [];
  }

  /** Returns the declared fallbacks of a model that an operator has put on hold; empty for any other model. */
  fallbacksOfHeld(modelId: string): readonly string[] {
    const declared = this.catalog.declared.get(modelId);
    return declared?.status === 'hold' ? declared.fallbacks : [];
  }

  /** Returns whether an operator hides the model from clients. */
  hides(modelId: string): boolean {
    const offer = this.shared.offer(modelId);
    return offer !== null && offer.model.status !== 'public';
  }

  /**
   * Returns the prices of a provider's model, whether or not a channel serves it: an operator's prices for the public id, else those of the
   * provider's list; `null` if none are known.
   */
  statedPrices(modelId: string, provider: string, upstreamModel: string): PriceSheet | null {
    const known = this.shared.offer(modelId)?.model ?? this.modelFacts.of(provider, upstreamModel);
    const stated = known ?? this.modelFacts.model(upstreamModel);
    return stated === undefined ? null : PriceSheet.parse(stated.pricing);
  }

  /** Returns the client formats in which this account can use the model. */
  formatsServing(modelId: string, accountId: string): readonly string[] {
    return this.visibleRoutes(modelId, accountId).flatMap(({ byFormat }) => [...byFormat.keys()]);
  }

  /** Returns whether the account has channels of its own. All accounts without any see the same models. */
  hasOwnChannels(accountId: string): boolean {
    return (this.own.get(accountId)?.size ?? 0) > 0;
  }

  /** Returns the account's own channels that APIs over stored objects are passed through to, by priority and then by id. */
  relayChannels(accountId: string): readonly RelayChannel[] {
    return this.own.get(accountId)?.relays() ?? [];
  }

  /** Returns the channel with this upstream key (`placeOf`), shared or the account's own; `null` if none in use has it. */
  relayAt(place: string, accountId: string): RelayChannel | null {
    const own = this.relayChannels(accountId).find((one) => one.place === place);
    return own ?? this.shared.relays().find((one) => one.place === place) ?? null;
  }

  /** Returns the targets of a model that the account may use for a non-text operation; `null` as in `routesTo`. */
  waysFor(operation: ModelOperation, modelId: string, accountId: string, mayBeHidden = false): Ways<Target> | null {
    const [first, second] = this.visibleRoutes(modelId, accountId, mayBeHidden);
    if (!first) return null;
    const { model, prices, rotation } = first;
    const { costs } = second ?? first;
    const targets = [...(first.byOperation.get(operation) ?? []), ...(second?.byOperation.get(operation) ?? [])];
    return { model, targets, costs, prices, rotation };
  }

  /**
   * Returns the targets of a model over the shared channels, for the gateway's own requests, which may also use models hidden from clients.
   * `null` for a model that is unknown or on hold.
   */
  sharedWaysFor(operation: ModelOperation, modelId: string): Ways<Target> | null {
    const routes = this.shared.routes(modelId, null);
    if (routes === null || routes.model.status === 'hold') return null;
    const { model, costs, prices, rotation, byOperation } = routes;
    return { model, targets: byOperation.get(operation) ?? [], costs, prices, rotation };
  }

  /** Returns whether a channel of this account can be asked for the model now. */
  isHealthy(modelId: string, accountId: string, nowMs: number): boolean {
    return this.visibleRoutes(modelId, accountId).some(({ byFormat, byOperation }) => {
      const [targets = []] = byFormat.size > 0 ? byFormat.values() : byOperation.values();
      return targets.some(({ health }) => health.isWell(accountId, nowMs));
    });
  }

  /** Returns the models that this account can use, or without an account those that every account can use, sorted by id. */
  visibleModels(accountId: string | null): readonly Model[] {
    this.sharedModels ??= sortedModels([...this.shared.offers()].filter((offer) => this.isShown(offer)));
    const own = accountId === null ? undefined : this.own.get(accountId);
    if (accountId === null || own === undefined || own.size === 0) return this.sharedModels;
    const known = this.ownModels.get(accountId);
    if (known !== undefined) return known;
    const models = this.withOwn(this.sharedModels, own);
    if (this.ownModelCount + models.length > MOST_KEPT_MODELS) {
      this.ownModels.clear();
      this.ownModelCount = 0;
    }
    this.ownModels.set(accountId, models);
    this.ownModelCount += models.length;
    return models;
  }

  /** Returns the ids of the models that every account can see and that no shared channel can be asked for now. */
  closedModels(nowMs: number): readonly string[] {
    const isOpen = (id: string) => this.shared.isOpenFor(id, nowMs);
    // A virtual model is closed with all models that its rules lead to.
    const isReachable = (id: string) => isOpen(id) || this.virtualModels?.endsOf(id).some(isOpen) === true;
    return this.visibleModels(null).flatMap(({ id }) => (isReachable(id) ? [] : [id]));
  }

  private withOwn(shared: readonly Model[], own: ChannelGroup): readonly Model[] {
    const shown = new Map(shared.map((model) => [model.id, model]));
    for (const offer of own.offers()) {
      // The shared channels define what a model is.
      if (!shown.has(offer.model.id) && this.isShown(offer)) shown.set(offer.model.id, offer.model);
    }
    return sortedModels([...shown.values()].map((model) => ({ model })));
  }

  /** Returns the names of all providers that a channel can have. */
  providerNames(): Iterable<string> {
    return this.providers.keys();
  }

  /** Returns the providers of the channels over which this account, or without one every account, reaches a model. */
  providersOf(modelId: string, accountId: string | null): readonly string[] {
    const targets = this.visibleRoutes(modelId, accountId).flatMap(({ byFormat, byOperation }) =>
      [...byFormat.values(), ...byOperation.values()].flat(),
    );
    return [...new Set(targets.map(({ channel }) => channel.provider))];
  }

  /** Returns the first chat model that every account can use; `null` for none. */
  firstChatModel(): string | null {
    for (const offer of this.shared.offers()) {
      if (offer.channelCount === 0 || !this.isShown(offer) || !servesChat(offer.model)) continue;
      const routes = this.shared.routes(offer.model.id, null);
      if (routes !== null && canChat(routes)) return offer.model.id;
    }
    return null;
  }

  /** Returns the first model for this operation that every account can use and a channel serves; `null` for none. */
  firstModelFor(operation: ModelOperation): string | null {
    for (const offer of this.shared.offers()) {
      if (!offer.model.operations.includes(operation) || !this.isShown(offer)) continue;
      if (this.shared.routes(offer.model.id, null)?.byOperation.has(operation)) return offer.model.id;
    }
    return null;
  }

  /** Returns a target at this place (`placeOf`), if the account may use it, whose provider stores the answers of the format. */
  keeper(place: string, accountId: string, format: string): TextTarget | null {
    const shared = this.shared.keeper(place, format, (id) => this.shared.routes(id, null));
    if (shared !== null) return shared;
    const routesTo = (id: string) => this.ownRoutes(id, accountId, this.shared.routes(id, null));
    return this.own.get(accountId)?.keeper(place, format, routesTo) ?? null;
  }

  /**
   * Returns the target for polling a submitted job, even if its channel or key is disabled or no longer serves the model. `null` if the
   * channel, its key or its wire no longer exists.
   */
  jobWay({ channelId, keyId, wire, upstreamModel }: JobPlace, modelId: string): Target | null {
    const place = placeAt(channelId, keyId ?? null);
    const key = JSON.stringify([place, wire, upstreamModel, modelId]);
    let way = this.jobWays.get(key);
    if (way === undefined) {
      way = this.makeJobWay(place, wire, upstreamModel, modelId);
      this.jobWays.set(key, way);
    }
    return way;
  }

  private makeJobWay(place: string, name: string, upstreamModel: string, modelId: string): Target | null {
    const parts = this.partsOfJobs(place);
    const wire = operationWires.get(name);
    const provided = parts?.manifest.wires?.find((one) => one.wire === name);
    if (parts === null || wire === undefined || provided === undefined) return null;
    const ruleModel = chooseRuleModel(this.modelFacts, parts.manifest, modelId, upstreamModel);
    const { pricing } = this.modelOf(modelId, parts.channel);
    return makeTarget(parts, provided, wire, { publicId: modelId, upstreamModel, ruleModel, pricing });
  }

  /** Returns the channel if requests may be sent over it; `null` if not. */
  channelInUse(id: string): Channel | null {
    let channel = this.channelsInUse.get(id);
    if (channel === undefined) {
      const found = this.channel(id);
      channel = found?.enabled === true ? found : null;
      if (this.channelsInUse.size < MOST_KEPT_MODELS) this.channelsInUse.set(id, channel);
    }
    return channel;
  }

  /** Returns whether the channel of a job exists, and the key that it was submitted with, in use or not. */
  hasPlace({ channelId, keyId }: Pick<JobPlace, 'channelId' | 'keyId'>): boolean {
    const channel = this.channel(channelId);
    return channel !== undefined && channelWithKey(channel, keyId ?? null) !== null;
  }

  /** Returns the name of the upstream key that a job was submitted with; `null` if the channel has one key, or no longer this one. */
  keyNameAt({ channelId, keyId }: Pick<JobPlace, 'channelId' | 'keyId'>): string | null {
    return this.channel(channelId)?.apiKeys?.find(({ id }) => id === (keyId ?? null))?.name ?? null;
  }

  /** Returns the routing facts of a channel; `null` if it no longer exists. */
  routingOf(channelId: string): RoutingFacts | null {
    const channel = this.channel(channelId);
    return channel === undefined ? null : routingFactsOf(channel);
  }

  private partsOfJobs(place: string): ChannelParts | null {
    let parts = this.jobParts.get(place);
    if (parts === undefined) {
      const { channelId, keyId } = partsOfPlace(place);
      const stored = this.channel(channelId);
      const channel = stored === undefined ? null : channelWithKey(stored, keyId);
      const manifest = channel && this.providers.get(channel.provider);
      parts = channel && manifest ? channelParts(channel, manifest) : null;
      this.jobParts.set(place, parts);
    }
    return parts;
  }

  /** Returns the channel, in use or not. */
  private channel(id: string): Channel | undefined {
    for (const { channels } of [this.shared, ...this.own.values()]) {
      const found = channels.find((channel) => channel.id === id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  get channelCount(): number {
    let count = this.shared.size;
    for (const { size } of this.own.values()) count += size;
    return count;
  }

  /** Returns the routes that this account may use, shared channels first. */
  private visibleRoutes(id: string, accountId: string | null, mayBeHidden = false): readonly Routes[] {
    const shared = this.shared.routes(id, null);
    const own = this.ownRoutes(id, accountId, shared);
    const known = [shared, own].filter((routes) => routes !== null);
    return known.filter((routes) => this.isShown(routes) || (mayBeHidden && this.isHidden(routes)));
  }

  /** Returns whether clients could see the offer if its model were public. */
  private isHidden(offer: Offer): boolean {
    const { model } = offer;
    return model.status === 'hidden' && this.isShown({ ...offer, model: { ...model, status: 'public' } });
  }

  private ownRoutes(id: string, accountId: string | null, shared: Routes | null): Routes | null {
    return accountId === null ? null : (this.own.get(accountId)?.routes(id, shared) ?? null);
  }

  private visibleOffer(id: string, accountId: string | null): Offer | null {
    const shared = this.shared.offer(id);
    if (shared !== null && this.isShown(shared)) return shared;
    const own = accountId === null ? null : (this.own.get(accountId)?.offer(id) ?? null);
    return own !== null && this.isShown(own) ? own : null;
  }

  /** Returns whether clients may see the offer; hidden and held models are never shown. */
  private isShown({ model, channelCount, servesTexts, isPublicAlone }: Offer): boolean {
    if (model.status !== 'public') return false;
    // Without a shared channel in use, a model is shown only if an operator has declared it public and no account's own channel, in use or
    // not, names it.
    if (channelCount === 0) return isPublicAlone && (model.rules !== undefined || !this.named.has(model.id));
    // A chat model needs a channel that one of the formats can ask; other operations have no such known requirement.
    return servesTexts || !servesChat(model);
  }
}

/** Returns whether the model can chat, which excludes models whose channels only support text completion. */
function canChat({ model, byFormat }: Routes): boolean {
  return servesChat(model) && [...byFormat.keys()].some((name) => clientFormats.get(name)?.relayOnly !== true);
}

function sortedModels(offers: readonly Pick<Offer, 'model'>[]): readonly Model[] {
  return offers.map(({ model }) => model).sort((one, other) => compareText(one.id, other.id));
}
