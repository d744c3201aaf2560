import type { Account } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { clientFormats, upstreamFormats } from '../../formats/index.ts';
import type { ProviderFormat, ProviderManifest } from '../../providers/manifest.ts';
import type { DirectoryRows } from '../ports/directory-store.ts';
import { channelParts, makeTarget, type Target } from './target.ts';

export interface Principal {
  readonly account: Account;
  readonly credential: Credential;
}

/** Accounts, keys, models and channels as one immutable picture; a change makes a new one and disturbs no request. */
export class Directory {
  private readonly principals = new Map<string, Principal>();
  private readonly models = new Map<string, Model>();
  /** By public model id, then by the client's format. */
  private readonly targets = new Map<string, Map<string, Target[]>>();

  constructor(rows: DirectoryRows, providers: ReadonlyMap<string, ProviderManifest>) {
    const accounts = new Map(rows.accounts.map((account) => [account.id, account]));
    for (const credential of rows.credentials) {
      const account = accounts.get(credential.accountId);
      if (account) this.principals.set(credential.secretHash, { account, credential });
    }
    for (const model of rows.models) this.models.set(model.id, model);
    for (const channel of rows.channels) {
      const manifest = providers.get(channel.provider);
      if (channel.enabled && manifest) this.addChannel(channel, manifest);
    }
  }

  /** By the SHA-256 of the secret, lower-case hex. */
  principal(secretHash: string): Principal | undefined {
    return this.principals.get(secretHash);
  }

  /**
   * The ways to a model that this account may use, for a client that speaks `clientFormat`. Empty for a model that is unknown, hidden, on hold or served by no
   * channel of this account: the contract does not let a client tell these apart (Errors, rule 1).
   */
  targetsFor(modelId: string, accountId: string, clientFormat: string): readonly Target[] {
    const model = this.models.get(modelId);
    if (model && model.status !== 'public') return [];
    const targets = this.targets.get(modelId)?.get(clientFormat);
    if (!targets) return [];
    return targets.some((target) => target.isPrivate)
      ? targets.filter((target) => target.channel.owner === null || target.channel.owner === accountId)
      : targets;
  }

  /** The ids that this account can ask for, sorted. */
  publicModelIds(accountId: string): string[] {
    const usable = (id: string) => {
      const model = this.models.get(id);
      if (model && model.status !== 'public') return false;
      const [targets] = this.targets.get(id)?.values() ?? [];
      return targets?.some(({ channel: { owner } }) => owner === null || owner === accountId) === true;
    };
    return [...this.targets.keys()].filter(usable).sort();
  }

  get channelCount(): number {
    const ids = new Set<string>();
    for (const byFormat of this.targets.values()) {
      for (const targets of byFormat.values()) for (const { channel } of targets) ids.add(channel.id);
    }
    return ids.size;
  }

  private addChannel(channel: Channel, manifest: ProviderManifest): void {
    const parts = channelParts(channel, manifest);
    const provided = formatsOf(channel, manifest);
    for (const [publicId, upstreamModel] of Object.entries(channel.models)) {
      const targets: Target[] = [];
      for (const one of provided) {
        const upstream = upstreamFormats.get(one.format);
        if (!upstream || (one.models && !one.models.test(upstreamModel))) continue;
        const target = makeTarget(parts, one, upstream, upstreamModel);
        if (target) targets.push(target);
      }
      this.addTargets(publicId, targets);
    }
  }

  /** For each client format the channel's target that speaks it, else the one that the provider does best. */
  private addTargets(publicId: string, targets: readonly Target[]): void {
    const [preferred] = targets;
    if (!preferred) return;
    let byFormat = this.targets.get(publicId);
    if (!byFormat) {
      byFormat = new Map();
      this.targets.set(publicId, byFormat);
    }
    for (const name of clientFormats.keys()) {
      const own = targets.find(({ upstream }) => upstream.name === name) ?? preferred;
      const chosen = targets.length === 1 ? own : { ...own, alternatives: targets.filter((one) => one !== own) };
      const known = byFormat.get(name);
      if (known) known.push(chosen);
      else byFormat.set(name, [chosen]);
    }
  }
}

/** The formats that a channel speaks, in order of preference. */
function formatsOf(channel: Channel, manifest: ProviderManifest): readonly ProviderFormat[] {
  if (channel.formats === null) return manifest.formats.filter(({ optIn }) => optIn !== true);
  return channel.formats.flatMap((name) => manifest.formats.filter(({ format }) => format === name));
}
