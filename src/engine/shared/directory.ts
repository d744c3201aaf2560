import type { Account } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { RoutingInfo } from '../../domain/exchange/routing-info.ts';
import type { Weighted } from '../../domain/routing/order.ts';
import { formats } from '../../formats/index.ts';
import type { LocalUpstream, ProviderManifest } from '../../providers/manifest.ts';
import type { DirectoryRows } from '../ports/directory-store.ts';

/** A channel's way to one model: all that an attempt needs, worked out once when the directory is read. */
export interface Target extends Weighted {
  readonly channel: Channel;
  readonly upstreamModel: string;
  /** The format that the upstream speaks here. */
  readonly format: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly streamHeaders: Readonly<Record<string, string>>;
  readonly local: LocalUpstream | undefined;
  readonly routing: RoutingInfo;
  readonly routingJson: string;
}

export interface Principal {
  readonly account: Account;
  readonly credential: Credential;
}

/** Accounts, keys, models and channels as one immutable picture; a change makes a new one and disturbs no request. */
export class Directory {
  private readonly principals = new Map<string, Principal>();
  private readonly models = new Map<string, Model>();
  private readonly targets = new Map<string, Target[]>();

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
   * The ways to a model that this account may use. Empty for a model that is unknown, hidden, on hold or served by no
   * channel of this account: the contract does not let a client tell these apart (Errors, rule 1).
   */
  targetsFor(modelId: string, accountId: string): readonly Target[] {
    const model = this.models.get(modelId);
    if (model && model.status !== 'public') return [];
    const targets = this.targets.get(modelId);
    if (!targets) return [];
    return targets.some((target) => target.isPrivate)
      ? targets.filter((target) => target.channel.owner === null || target.channel.owner === accountId)
      : targets;
  }

  /** The ids that this account can ask for, sorted. */
  publicModelIds(accountId: string): string[] {
    return [...this.targets.keys()].filter((id) => this.targetsFor(id, accountId).length > 0).sort();
  }

  get channelCount(): number {
    return new Set([...this.targets.values()].flat().map((target) => target.channel.id)).size;
  }

  private addChannel(channel: Channel, manifest: ProviderManifest): void {
    const names = channel.formats ?? manifest.formats.map(({ format }) => format);
    // The first format that both sides know; with translation the plan will weigh all of them.
    const name = names.find((candidate) => formats.has(candidate));
    const provided = manifest.formats.find(({ format }) => format === name);
    const baseUrl = channel.baseUrl ?? manifest.baseUrl;
    if (!provided || (!baseUrl && !manifest.local)) return;
    const shared = sharedTargetParts(channel, manifest, `${baseUrl ?? 'http://local.invalid'}${provided.path}`);
    for (const [publicId, upstreamModel] of Object.entries(channel.models)) {
      const target = { ...shared, channel, upstreamModel, format: provided.format };
      const known = this.targets.get(publicId);
      if (known) known.push(target);
      else this.targets.set(publicId, [target]);
    }
  }
}

function sharedTargetParts(channel: Channel, manifest: ProviderManifest, url: string) {
  const credentials = { apiKey: channel.apiKey, settings: channel.settings };
  const authorization = manifest.authorize?.(credentials) ?? bearer(channel.apiKey);
  const common = { ...authorization, 'content-type': 'application/json', 'user-agent': 'switchyard' };
  const isPrivate = channel.owner !== null;
  const routing: RoutingInfo = {
    channel: {
      id: channel.id,
      name: channel.name,
      provider: channel.provider,
      channelType: isPrivate ? 'PRIVATE' : 'PLATFORM',
    },
    cached: false,
    retryCount: 0,
  };
  return {
    url,
    headers: { ...common, accept: 'application/json' },
    // A compressing hop may gather chunks before it sends them on.
    streamHeaders: { ...common, accept: 'text/event-stream', 'accept-encoding': 'identity' },
    local: manifest.local,
    priority: channel.priority,
    weight: channel.weight,
    isPrivate,
    routing,
    routingJson: asciiJson(routing),
  };
}

function bearer(apiKey: string | null): Record<string, string> {
  return apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
}

/** JSON that also fits into an HTTP header: everything beyond printable ASCII is escaped. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
