import type { Channel } from '../../domain/catalog/channel.ts';
import { byPriority } from '../../domain/catalog/channel-order.ts';
import { type ComparableCost, comparableCost } from '../../domain/catalog/comparable-cost.ts';
import type { DeclaredModel, Model } from '../../domain/catalog/model.ts';
import { type ModelOperation, servesChat } from '../../domain/catalog/model-operation.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { PriceSheet } from '../../domain/money/price-sheet.ts';
import type { SmoothRotation } from '../../domain/routing/smooth-rotation.ts';
import { compareText } from '../../domain/text/compare-text.ts';
import { clientFormats, operationWires, upstreamFormats } from '../../formats/index.ts';
import { entryOf } from '../../formats/shared/record.ts';
import type { ProviderFormat, ProviderManifest } from '../../providers/manifest.ts';
import type { RoutingMemory } from '../health/routing-memory.ts';
import type { ServingRows } from '../ports/directory-store.ts';
import { ModelFacts } from './model-facts.ts';
import { type RelayChannel, relayChannel } from './relay-channel.ts';
import {
  type ChannelParts,
  channelParts,
  makeTarget,
  makeTextTarget,
  type Target,
  type TextTarget,
  targetFor,
} from './target.ts';

/** The targets of a public model: over the channels that all accounts share, or over those of one owner. */
interface Routes {
  readonly model: Model;
  /** How many channels name the model, even those that have no format to ask for it. */
  channelCount: number;
  readonly byFormat: Map<string, TextTarget[]>;
  /** For all that is asked of it but texts, by what that is. */
  readonly byOperation: Map<ModelOperation, Target[]>;
  /** What the channels' upstreams charge for it, by channel, all owners together; for comparison alone. */
  readonly costs: Map<string, ComparableCost>;
  /** `null` where no price is known. */
  readonly prices: PriceSheet | null;
  readonly rotation: SmoothRotation;
  /** An operator has said that it is public, channel or not. */
  readonly isPublicAlone: boolean;
}

/** The targets of a model that one account may use, not in order yet; empty while no channel serves a declared model. */
export interface Ways<T extends Target> extends Pick<Routes, 'model' | 'costs' | 'prices' | 'rotation'> {
  readonly targets: readonly T[];
}

/** Where a job was submitted. */
export interface JobPlace {
  readonly channelId: string;
  readonly wire: string;
  readonly upstreamModel: string;
}

/** Models and channels as one immutable picture; a change makes a new one and disturbs no request. */
export class Directory {
  private readonly declared: ReadonlyMap<string, DeclaredModel>;
  readonly modelFacts: ModelFacts;
  /** By public model id: all models that a shared channel serves or that are declared. */
  private readonly shared = new Map<string, Routes>();
  /** By account, then by public model id: what its own channels serve. */
  private readonly own = new Map<string, Map<string, Routes>>();
  /** The shared channel that decides what a model is: the first by priority and id, enabled or not. */
  private readonly describing: ReadonlyMap<string, Channel>;
  /** Ids that an account's own channel names, in use or not. */
  private readonly ownIds: ReadonlySet<string>;
  /** By public model id; shared by all its targets. */
  private readonly costs = new Map<string, Map<string, ComparableCost>>();
  /** By account, its own channels that APIs are passed through to. */
  private readonly relays = new Map<string, RelayChannel[]>();
  private sharedModels: readonly Model[] | null = null;
  private readonly channelIds = new Set<string>();
  /** By id, whether in use or not. */
  private readonly known: ReadonlyMap<string, Channel>;
  /** Of those that jobs were submitted over, made when one of them is asked for. */
  private readonly jobParts = new Map<string, ChannelParts | null>();
  private readonly jobWays = new Map<string, Target | null>();

  constructor(
    rows: ServingRows,
    private readonly providers: ReadonlyMap<string, ProviderManifest>,
    private readonly memory: RoutingMemory,
    /** Whether the keys that can send requests belong to more than one account. */
    hasSeveralAccounts: boolean,
  ) {
    this.modelFacts = new ModelFacts(providers, rows.syncedModels);
    this.declared = new Map(rows.models.map((model) => [model.id, model]));
    const known = rows.channels.filter(({ provider }) => providers.has(provider));
    this.describing = firstByModel(known.filter(({ owner }) => owner === null));
    this.ownIds = new Set(known.flatMap(({ owner, models }) => (owner === null ? [] : Object.keys(models))));
    this.known = new Map(known.map((channel) => [channel.id, channel]));
    const channels = known.filter(({ enabled }) => enabled);
    memory.adopt(channels, { hasSeveralAccounts });
    for (const channel of channels) {
      const manifest = providers.get(channel.provider);
      if (manifest) this.addChannel(channel, manifest);
    }
    for (const id of this.declared.keys()) this.routesOf(id, null);
    for (const relays of this.relays.values()) relays.sort((one, other) => byPriority(one.channel, other.channel));
  }

  /** A model as this channel serves it, whatever its status. */
  modelOf(id: string, channel: Channel): Model {
    return this.modelFacts.resolve(id, channel, this.declared.get(id));
  }

  /** A model that this account can use; without an account, one that every account can use. */
  visibleModel(id: string, accountId: string | null): Model | undefined {
    return this.visibleRoutes(id, accountId)[0]?.model;
  }

  /**
   * The targets of a model that this account may use, for a client that speaks `clientFormat`. `null` for a model that is
   * unknown, hidden, on hold or served by no channel of this account: the contract does not let a client tell these apart
   * (Errors, rule 1).
   */
  routesTo(modelId: string, accountId: string, clientFormat: string): Ways<TextTarget> | null {
    // The shared channels decide what the model is and costs, even if the account has channels of its own.
    const [first, second] = this.visibleRoutes(modelId, accountId);
    if (!first) return null;
    const targets = first.byFormat.get(clientFormat) ?? [];
    const { model, costs, prices, rotation } = first;
    const more = second?.byFormat.get(clientFormat);
    return { model, targets: more ? [...targets, ...more] : targets, costs, prices, rotation };
  }

  /** The client formats in which this account can use the model. */
  formatsServing(modelId: string, accountId: string): readonly string[] {
    return this.visibleRoutes(modelId, accountId).flatMap(({ byFormat }) => [...byFormat.keys()]);
  }

  /** Whether there are channels for this account alone: the others all see the same models. */
  hasOwnChannels(accountId: string): boolean {
    return this.own.has(accountId);
  }

  /** The account's own channels that APIs over stored objects are passed through to, the first by priority and id first. */
  relayChannels(accountId: string): readonly RelayChannel[] {
    return this.relays.get(accountId) ?? [];
  }

  /** The targets of a model for an API that is not a text format, as far as the account may use them; `null` as in `routesTo`. */
  waysFor(operation: ModelOperation, modelId: string, accountId: string): Ways<Target> | null {
    const [first, second] = this.visibleRoutes(modelId, accountId);
    if (!first) return null;
    const { model, costs, prices, rotation } = first;
    const targets = [...(first.byOperation.get(operation) ?? []), ...(second?.byOperation.get(operation) ?? [])];
    return { model, targets, costs, prices, rotation };
  }

  /**
   * The targets of a model over the channels that all accounts share, for requests of the gateway's own: a model that is hidden from
   * clients serves them, too. `null` for a model that is unknown or on hold.
   */
  sharedWaysFor(operation: ModelOperation, modelId: string): Ways<Target> | null {
    const routes = this.shared.get(modelId);
    if (routes === undefined || routes.model.status === 'hold') return null;
    const { model, costs, prices, rotation, byOperation } = routes;
    return { model, targets: byOperation.get(operation) ?? [], costs, prices, rotation };
  }

  /** Whether a channel of this account can be asked for the model now. */
  isHealthy(modelId: string, accountId: string, nowMs: number): boolean {
    return this.visibleRoutes(modelId, accountId).some(({ byFormat, byOperation }) => {
      const [targets = []] = byFormat.size > 0 ? byFormat.values() : byOperation.values();
      return targets.some(({ health }) => health.isWell(accountId, nowMs));
    });
  }

  /** The models that this account can use, or without an account those that everybody can, sorted by id. */
  visibleModels(accountId: string | null): readonly Model[] {
    this.sharedModels ??= sortedModels([...this.shared.values()].filter((routes) => this.isShown(routes)));
    const own = accountId === null ? undefined : this.own.get(accountId);
    if (own === undefined) return this.sharedModels;
    const ids = new Set([...this.sharedModels.map(({ id }) => id), ...own.keys()]);
    return sortedModels([...ids].flatMap((id) => this.visibleRoutes(id, accountId).slice(0, 1)));
  }

  /** A model that everybody can use: the first one of the first channel that has one. */
  firstChatModel(): string | null {
    for (const routes of this.shared.values()) {
      if (canChat(routes) && routes.channelCount > 0 && this.isShown(routes)) return routes.model.id;
    }
    return null;
  }

  /** A model for this operation that everybody can use: the first one that a channel serves. */
  firstModelFor(operation: ModelOperation): string | null {
    for (const routes of this.shared.values()) {
      if (routes.byOperation.has(operation) && this.isShown(routes)) return routes.model.id;
    }
    return null;
  }

  /** A target over this channel, if the account may use it, whose provider stores the answers of the format. */
  keeper(channelId: string, accountId: string, format: string): TextTarget | null {
    for (const group of [this.shared, this.own.get(accountId)]) {
      for (const { byFormat } of group?.values() ?? []) {
        const targets = byFormat.get(format) ?? [];
        const found = targets.find(({ channel }) => channel.id === channelId);
        if (found?.stores && found.wire.name === format) return found;
      }
    }
    return null;
  }

  /**
   * The way over which a job was submitted, to ask for it: also over a channel that is out of use, or no longer serves the model.
   * `null` where the channel or its wire is gone.
   */
  jobWay({ channelId, wire, upstreamModel }: JobPlace, modelId: string): Target | null {
    const key = JSON.stringify([channelId, wire, upstreamModel, modelId]);
    let way = this.jobWays.get(key);
    if (way === undefined) {
      way = this.makeJobWay(channelId, wire, upstreamModel, modelId);
      this.jobWays.set(key, way);
    }
    return way;
  }

  private makeJobWay(channelId: string, name: string, upstreamModel: string, modelId: string): Target | null {
    const parts = this.partsOfJobs(channelId);
    const wire = operationWires.get(name);
    const provided = parts?.manifest.wires?.find((one) => one.wire === name);
    if (parts === null || wire === undefined || provided === undefined) return null;
    return makeTarget(parts, provided, wire, modelId, upstreamModel);
  }

  /** What is told of a channel's answers; `null` where the channel is gone. */
  routingOf(channelId: string): RoutingFacts | null {
    return this.partsOfJobs(channelId)?.routing ?? null;
  }

  private partsOfJobs(channelId: string): ChannelParts | null {
    let parts = this.jobParts.get(channelId);
    if (parts === undefined) {
      const channel = this.known.get(channelId);
      const manifest = channel && this.providers.get(channel.provider);
      parts = channel && manifest ? channelParts(channel, manifest) : null;
      this.jobParts.set(channelId, parts);
    }
    return parts;
  }

  get channelCount(): number {
    return this.channelIds.size;
  }

  /** Shared channels come before the account's own. */
  private visibleRoutes(id: string, accountId: string | null): readonly Routes[] {
    const shared = this.shared.get(id);
    const own = accountId === null ? undefined : this.own.get(accountId)?.get(id);
    if (shared && !own) return this.isShown(shared) ? [shared] : [];
    return this.shownOf([shared, own]);
  }

  private shownOf(found: readonly (Routes | undefined)[]): readonly Routes[] {
    return found.filter((routes): routes is Routes => routes !== undefined && this.isShown(routes));
  }

  /** Hidden and held models are never shown. */
  private isShown({ model, channelCount, byFormat, isPublicAlone }: Routes): boolean {
    if (model.status !== 'public') return false;
    // Without a shared channel in use, a model is shown only if an operator has declared it public and no account's own channel,
    // in use or not, names it.
    if (channelCount === 0) return isPublicAlone && !this.ownIds.has(model.id);
    // A chat model needs a channel that one of the formats can ask; for other operations it is not known what a channel needs.
    return byFormat.size > 0 || !servesChat(model);
  }

  private addChannel(channel: Channel, manifest: ProviderManifest): void {
    const parts = channelParts(channel, manifest, this.memory.health(channel.id));
    const provided = formatsOf(channel, manifest);
    this.channelIds.add(channel.id);
    const relay = relayChannel(parts);
    if (relay !== null && channel.owner !== null) this.addRelay(channel.owner, relay);
    for (const [publicId, upstreamModel] of Object.entries(channel.models)) {
      const routes = this.routesOf(publicId, channel);
      routes.channelCount += 1;
      const targets: TextTarget[] = [];
      for (const one of provided) {
        const upstream = upstreamFormats.get(one.format);
        if (!upstream || (one.models && !one.models.test(upstreamModel))) continue;
        const target = makeTextTarget(parts, one, upstream, publicId, upstreamModel);
        if (target) targets.push(target);
      }
      if (targets.length > 0) addTargets(routes, publicId, channel, targets);
      this.addOthers(routes, parts, publicId, upstreamModel);
    }
  }

  /** The ways to the model for what its operations are beside texts. */
  private addOthers(
    { model, byOperation, costs }: Routes,
    parts: ChannelParts,
    publicId: string,
    upstreamModel: string,
  ) {
    const { channel, manifest } = parts;
    for (const provided of manifest.wires ?? []) {
      const wire = operationWires.get(provided.wire);
      if (wire === undefined || (provided.models && !provided.models.test(upstreamModel))) continue;
      const isServed = (operation: ModelOperation) =>
        model.operations.includes(operation) &&
        byOperation.get(operation)?.some((one) => one.channel === channel) !== true;
      const served = wire.operations.filter(isServed);
      const target = served.length > 0 ? makeTarget(parts, provided, wire, publicId, upstreamModel) : null;
      if (target === null) continue;
      for (const operation of served) byOperation.set(operation, [...(byOperation.get(operation) ?? []), target]);
      const cost = comparableCost(entryOf(channel.costs, publicId));
      if (cost !== null) costs.set(channel.id, cost);
    }
  }

  private addRelay(owner: string, relay: RelayChannel): void {
    const known = this.relays.get(owner);
    if (known) known.push(relay);
    else this.relays.set(owner, [relay]);
  }

  /** Those of the channel's owner, or the shared ones; without a channel those of a model that is only declared. */
  private routesOf(publicId: string, channel: Channel | null): Routes {
    const group = this.groupOf(channel?.owner ?? null);
    let routes = group.get(publicId);
    if (!routes) {
      routes = this.newRoutes(publicId, channel);
      group.set(publicId, routes);
    }
    return routes;
  }

  private costsOf(publicId: string): Map<string, ComparableCost> {
    let costs = this.costs.get(publicId);
    if (!costs) {
      costs = new Map();
      this.costs.set(publicId, costs);
    }
    return costs;
  }

  private groupOf(owner: string | null): Map<string, Routes> {
    if (owner === null) return this.shared;
    let group = this.own.get(owner);
    if (!group) {
      group = new Map();
      this.own.set(owner, group);
    }
    return group;
  }

  private newRoutes(publicId: string, channel: Channel | null): Routes {
    const declared = this.declared.get(publicId);
    const describing = (channel?.owner ?? null) === null ? (this.describing.get(publicId) ?? channel) : channel;
    const model = this.modelFacts.resolve(publicId, describing, declared);
    return {
      model,
      channelCount: 0,
      byFormat: new Map(),
      byOperation: new Map(),
      costs: this.costsOf(publicId),
      prices: PriceSheet.parse(model.pricing),
      rotation: this.memory.rotation(publicId),
      isPublicAlone: declared?.status === 'public',
    };
  }
}

function addTargets(
  { byFormat, costs }: Routes,
  publicId: string,
  channel: Channel,
  targets: readonly TextTarget[],
): void {
  const cost = comparableCost(entryOf(channel.costs, publicId));
  if (cost !== null) costs.set(channel.id, cost);
  for (const name of clientFormats.keys()) {
    const chosen = targetFor(name, targets);
    if (chosen === null) continue;
    const known = byFormat.get(name);
    if (known) known.push(chosen);
    else byFormat.set(name, [chosen]);
  }
}

/** Except for models whose channels only continue a text. */
function canChat({ model, byFormat }: Routes): boolean {
  return servesChat(model) && [...byFormat.keys()].some((name) => clientFormats.get(name)?.relayOnly !== true);
}

function firstByModel(channels: readonly Channel[]): ReadonlyMap<string, Channel> {
  const first = new Map<string, Channel>();
  for (const channel of [...channels].sort(byPriority)) {
    for (const id of Object.keys(channel.models)) if (!first.has(id)) first.set(id, channel);
  }
  return first;
}

function sortedModels(routes: readonly Routes[]): readonly Model[] {
  return routes.map(({ model }) => model).sort((one, other) => compareText(one.id, other.id));
}

/** The formats that a channel speaks, in order of preference. */
export function formatsOf(channel: Channel, manifest: ProviderManifest): readonly ProviderFormat[] {
  if (channel.formats === null) return manifest.formats.filter(({ optIn }) => optIn !== true);
  return channel.formats.flatMap((name) => manifest.formats.filter(({ format }) => format === name));
}
