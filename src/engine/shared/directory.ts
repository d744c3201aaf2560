import type { Account } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import { type ComparableCost, comparableCost } from '../../domain/catalog/comparable-cost.ts';
import type { DeclaredModel, Model } from '../../domain/catalog/model.ts';
import { servesChat } from '../../domain/catalog/operation.ts';
import { PriceSheet } from '../../domain/money/price-sheet.ts';
import type { SmoothRotation } from '../../domain/routing/smooth-rotation.ts';
import { clientFormats, upstreamFormats } from '../../formats/index.ts';
import type { ProviderFormat, ProviderManifest } from '../../providers/manifest.ts';
import type { DirectoryRows } from '../ports/directory-store.ts';
import { Catalogue } from './catalogue.ts';
import type { RoutingMemory } from './routing-memory.ts';
import { channelParts, makeTarget, type Target } from './target.ts';

export interface Principal {
  readonly account: Account;
  readonly credential: Credential;
}

/** A public model id, and the ways to it. */
interface Routes {
  readonly model: Model;
  /** All that name the model, whether a format of theirs can ask for it or not. */
  readonly channels: Channel[];
  readonly byFormat: Map<string, Target[]>;
  /** What the channels' upstreams charge for it, by channel; for comparison alone. */
  readonly costs: Map<string, ComparableCost>;
  /** `null` where no price is known. */
  readonly prices: PriceSheet | null;
  readonly rotation: SmoothRotation;
  /** An operator has said that it is public, channel or not. */
  readonly isDeclaredPublic: boolean;
  hasPrivate: boolean;
}

/** The ways to a model that one account may use, in no order yet; none while no channel serves a declared one. */
export interface VisibleRoutes extends Pick<Routes, 'model' | 'costs' | 'prices' | 'rotation'> {
  readonly targets: readonly Target[];
}

/** Accounts, keys, models and channels as one immutable picture; a change makes a new one and disturbs no request. */
export class Directory {
  private readonly principals = new Map<string, Principal>();
  private readonly declared: ReadonlyMap<string, DeclaredModel>;
  readonly catalogue: Catalogue;
  /** By public model id: all that a channel serves or somebody has declared. */
  private readonly routes = new Map<string, Routes>();
  private sortedRoutes: readonly Routes[] | null = null;
  private readonly channelIds = new Set<string>();
  private readonly owners = new Set<string>();

  constructor(
    rows: DirectoryRows,
    providers: ReadonlyMap<string, ProviderManifest>,
    private readonly memory: RoutingMemory,
  ) {
    const accounts = new Map(rows.accounts.map((account) => [account.id, account]));
    for (const credential of rows.credentials) {
      const account = accounts.get(credential.accountId);
      if (account) this.principals.set(credential.secretHash, { account, credential });
    }
    this.catalogue = new Catalogue(providers, rows.syncedModels);
    this.declared = new Map(rows.models.map((model) => [model.id, model]));
    const channels = rows.channels.filter(({ enabled, provider }) => enabled && providers.has(provider));
    memory.adopt(channels);
    // The first channel of a model says what the model is, to all who see it: a customer's own has no say in what others share.
    const [shared, owned] = [
      channels.filter(({ owner }) => owner === null),
      channels.filter(({ owner }) => owner !== null),
    ];
    for (const channel of [...shared, ...owned]) {
      const manifest = providers.get(channel.provider);
      if (manifest) this.addChannel(channel, manifest);
    }
    for (const id of this.declared.keys()) this.routesOf(id, null);
  }

  /** By the SHA-256 of the secret, lower-case hex. */
  principal(secretHash: string): Principal | undefined {
    return this.principals.get(secretHash);
  }

  /** Whatever its status, and whoever may use it. */
  model(id: string): Model | undefined {
    return this.routes.get(id)?.model;
  }

  /** A model that this account can ask for; without an account, one that everybody can. */
  visibleModel(id: string, accountId: string | null): Model | undefined {
    const routes = this.routes.get(id);
    return routes && isVisibleTo(routes, accountId) ? routes.model : undefined;
  }

  /**
   * The ways to a model that this account may use, for a client that speaks `clientFormat`. `null` for a model that is
   * unknown, hidden, on hold or served by no channel of this account: the contract does not let a client tell these apart
   * (Errors, rule 1).
   */
  routesTo(modelId: string, accountId: string, clientFormat: string): VisibleRoutes | null {
    const routes = this.routes.get(modelId);
    if (!routes || !isVisibleTo(routes, accountId)) return null;
    const all = routes.byFormat.get(clientFormat) ?? [];
    const targets = routes.hasPrivate ? all.filter(({ channel }) => isUsableBy(channel, accountId)) : all;
    const { model, costs, prices, rotation } = routes;
    return { model, targets, costs, prices, rotation };
  }

  /** Whether there are channels for this account alone: the others all see the same models. */
  hasOwnChannels(accountId: string): boolean {
    return this.owners.has(accountId);
  }

  /** Whether a channel of this account can be asked for the model now. */
  isHealthy(modelId: string, accountId: string, nowMs: number): boolean {
    const [targets = []] = this.routes.get(modelId)?.byFormat.values() ?? [];
    return targets.some(({ channel, health }) => isUsableBy(channel, accountId) && health.stateAt(nowMs) === 'closed');
  }

  /** The models that this account can ask for, or everybody without one, by id in order. */
  visibleModels(accountId: string | null): readonly Model[] {
    const models: Model[] = [];
    for (const routes of this.sorted()) if (isVisibleTo(routes, accountId)) models.push(routes.model);
    return models;
  }

  /** One that everybody can ask, of the first channel that has one, as the channel orders them. */
  firstChatModel(): string | null {
    for (const { model, ...routes } of this.routes.values()) {
      if (servesChat(model) && isVisibleTo({ model, ...routes }, null) && routes.channels.length > 0) return model.id;
    }
    return null;
  }

  private sorted(): readonly Routes[] {
    this.sortedRoutes ??= [...this.routes.values()].sort((one, other) => (one.model.id < other.model.id ? -1 : 1));
    return this.sortedRoutes;
  }

  get channelCount(): number {
    return this.channelIds.size;
  }

  private addChannel(channel: Channel, manifest: ProviderManifest): void {
    const parts = channelParts(channel, manifest, this.memory.health(channel.id));
    const provided = formatsOf(channel, manifest);
    for (const [publicId, upstreamModel] of Object.entries(channel.models)) {
      const routes = this.routesOf(publicId, channel);
      const targets: Target[] = [];
      for (const one of provided) {
        const upstream = upstreamFormats.get(one.format);
        if (!upstream || (one.models && !one.models.test(upstreamModel))) continue;
        const target = makeTarget(parts, one, upstream, upstreamModel);
        if (target) targets.push(target);
      }
      if (targets.length > 0) this.addTargets(routes, publicId, channel, targets);
    }
  }

  /** For each client format the channel's target that speaks it, else the one that the provider does best. */
  private addTargets(
    { byFormat, costs }: Routes,
    publicId: string,
    channel: Channel,
    targets: readonly Target[],
  ): void {
    const cost = comparableCost(channel.costs[publicId]);
    if (cost !== null) costs.set(channel.id, cost);
    for (const name of clientFormats.keys()) {
      const own = targets.find(({ upstream }) => upstream.name === name) ?? targets[0];
      if (!own) continue;
      const chosen = targets.length === 1 ? own : { ...own, alternatives: targets.filter((one) => one !== own) };
      const known = byFormat.get(name);
      if (known) known.push(chosen);
      else byFormat.set(name, [chosen]);
    }
  }

  private routesOf(publicId: string, channel: Channel | null): Routes {
    let routes = this.routes.get(publicId);
    if (!routes) {
      routes = this.newRoutes(publicId, channel);
      this.routes.set(publicId, routes);
    }
    if (channel === null) return routes;
    this.channelIds.add(channel.id);
    routes.channels.push(channel);
    if (channel.owner !== null) {
      routes.hasPrivate = true;
      this.owners.add(channel.owner);
    }
    return routes;
  }

  private newRoutes(publicId: string, channel: Channel | null): Routes {
    const declared = this.declared.get(publicId);
    const model = this.catalogue.resolve(publicId, channel, declared);
    return {
      model,
      channels: [],
      byFormat: new Map(),
      costs: new Map(),
      prices: PriceSheet.parse(model.pricing),
      rotation: this.memory.rotation(publicId),
      isDeclaredPublic: declared?.status === 'public',
      hasPrivate: false,
    };
  }
}

/** Hidden and held models nobody sees; the others whoever has a channel for them. */
function isVisibleTo({ model, channels, byFormat, hasPrivate, isDeclaredPublic }: Routes, accountId: string | null) {
  if (model.status !== 'public') return false;
  if (channels.length === 0) return isDeclaredPublic;
  // A chat model needs a channel that one of the formats can ask; what other operations need is not known of a channel.
  if (servesChat(model) && byFormat.size === 0) return false;
  return !hasPrivate || channels.some((channel) => isUsableBy(channel, accountId));
}

function isUsableBy({ owner }: Channel, accountId: string | null): boolean {
  return owner === null || owner === accountId;
}

/** The formats that a channel speaks, in order of preference. */
export function formatsOf(channel: Channel, manifest: ProviderManifest): readonly ProviderFormat[] {
  if (channel.formats === null) return manifest.formats.filter(({ optIn }) => optIn !== true);
  return channel.formats.flatMap((name) => manifest.formats.filter(({ format }) => format === name));
}
