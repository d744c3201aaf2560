import type { Account } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import { type ComparableCost, comparableCost } from '../../domain/catalog/comparable-cost.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { PriceSheet } from '../../domain/money/price-sheet.ts';
import type { SmoothRotation } from '../../domain/routing/smooth-rotation.ts';
import { clientFormats, upstreamFormats } from '../../formats/index.ts';
import type { ProviderFormat, ProviderManifest } from '../../providers/manifest.ts';
import type { DirectoryRows } from '../ports/directory-store.ts';
import type { RoutingMemory } from './routing-memory.ts';
import { channelParts, makeTarget, type Target } from './target.ts';

export interface Principal {
  readonly account: Account;
  readonly credential: Credential;
}

/** The ways to one public model. */
interface Routes {
  readonly byFormat: Map<string, Target[]>;
  /** What the channels' upstreams charge for it, by channel; for comparison alone. */
  readonly costs: Map<string, ComparableCost>;
  /** `null` where no price is known. */
  readonly prices: PriceSheet | null;
  readonly rotation: SmoothRotation;
  hasPrivate: boolean;
}

/** The ways to a model that one account may use, in no order yet. */
export interface VisibleRoutes extends Pick<Routes, 'costs' | 'prices' | 'rotation'> {
  readonly model: Model | undefined;
  readonly targets: readonly Target[];
}

/** Accounts, keys, models and channels as one immutable picture; a change makes a new one and disturbs no request. */
export class Directory {
  private readonly principals = new Map<string, Principal>();
  private readonly models = new Map<string, Model>();
  /** By public model id. */
  private readonly routes = new Map<string, Routes>();
  private readonly channelIds = new Set<string>();

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
    for (const model of rows.models) this.models.set(model.id, model);
    const channels = rows.channels.filter(({ enabled, provider }) => enabled && providers.has(provider));
    memory.adopt(channels);
    for (const channel of channels) {
      const manifest = providers.get(channel.provider);
      if (manifest) this.addChannel(channel, manifest);
    }
  }

  /** By the SHA-256 of the secret, lower-case hex. */
  principal(secretHash: string): Principal | undefined {
    return this.principals.get(secretHash);
  }

  model(id: string): Model | undefined {
    return this.models.get(id);
  }

  /**
   * The ways to a model that this account may use, for a client that speaks `clientFormat`. `null` for a model that is
   * unknown, hidden, on hold or served by no channel of this account: the contract does not let a client tell these apart
   * (Errors, rule 1).
   */
  routesTo(modelId: string, accountId: string, clientFormat: string): VisibleRoutes | null {
    const model = this.models.get(modelId);
    if (model && model.status !== 'public') return null;
    const routes = this.routes.get(modelId);
    const all = routes?.byFormat.get(clientFormat);
    if (!routes || !all) return null;
    const targets = routes.hasPrivate ? all.filter(({ channel }) => isVisible(channel, accountId)) : all;
    const { costs, prices, rotation } = routes;
    return targets.length === 0 ? null : { model, targets, costs, prices, rotation };
  }

  /** The models that this account can ask for, by id in order, and whether a channel for it is well. */
  *publicModels(
    accountId: string,
    nowMs: number,
  ): Iterable<{ id: string; model: Model | undefined; isHealthy: boolean }> {
    for (const id of this.publicModelIds(accountId)) {
      const [targets = []] = this.routes.get(id)?.byFormat.values() ?? [];
      const isHealthy = targets.some(
        ({ channel, health }) => isVisible(channel, accountId) && health.stateAt(nowMs) === 'closed',
      );
      yield { id, model: this.models.get(id), isHealthy };
    }
  }

  /** The ids that this account can ask for, sorted. */
  publicModelIds(accountId: string): string[] {
    const usable = (id: string) => {
      const model = this.models.get(id);
      if (model && model.status !== 'public') return false;
      const [targets] = this.routes.get(id)?.byFormat.values() ?? [];
      return targets?.some(({ channel }) => isVisible(channel, accountId)) === true;
    };
    return [...this.routes.keys()].filter(usable).sort();
  }

  get channelCount(): number {
    return this.channelIds.size;
  }

  private addChannel(channel: Channel, manifest: ProviderManifest): void {
    const parts = channelParts(channel, manifest, this.memory.health(channel.id));
    const provided = formatsOf(channel, manifest);
    for (const [publicId, upstreamModel] of Object.entries(channel.models)) {
      const targets: Target[] = [];
      for (const one of provided) {
        const upstream = upstreamFormats.get(one.format);
        if (!upstream || (one.models && !one.models.test(upstreamModel))) continue;
        const target = makeTarget(parts, one, upstream, upstreamModel);
        if (target) targets.push(target);
      }
      if (targets.length > 0) this.addTargets(publicId, channel, targets);
    }
  }

  /** For each client format the channel's target that speaks it, else the one that the provider does best. */
  private addTargets(publicId: string, channel: Channel, targets: readonly Target[]): void {
    const { byFormat, costs } = this.routesOf(publicId, channel);
    this.channelIds.add(channel.id);
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

  private routesOf(publicId: string, channel: Channel): Routes {
    let routes = this.routes.get(publicId);
    if (!routes) {
      const prices = PriceSheet.parse(this.models.get(publicId)?.pricing ?? null);
      const rotation = this.memory.rotation(publicId);
      routes = { byFormat: new Map(), costs: new Map(), prices, rotation, hasPrivate: false };
      this.routes.set(publicId, routes);
    }
    if (channel.owner !== null) routes.hasPrivate = true;
    return routes;
  }
}

function isVisible({ owner }: Channel, accountId: string): boolean {
  return owner === null || owner === accountId;
}

/** The formats that a channel speaks, in order of preference. */
export function formatsOf(channel: Channel, manifest: ProviderManifest): readonly ProviderFormat[] {
  if (channel.formats === null) return manifest.formats.filter(({ optIn }) => optIn !== true);
  return channel.formats.flatMap((name) => manifest.formats.filter(({ format }) => format === name));
}
