import type { Channel } from '../../domain/catalog/channel.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { clientFormats, upstreamFormats } from '../../formats/index.ts';
import { entryOf } from '../../formats/shared/json/record.ts';
import type { ProviderFormat, ProviderManifest } from '../../providers/manifest.ts';
import type { ChannelHealth } from '../health/channel-health.ts';
import type { ModelFacts } from './model-facts.ts';
import { type RelayChannel, relayChannel } from './relay-channel.ts';
import { chooseRuleModel } from './rule-model.ts';
import { type ChannelParts, channelParts, makeTextTarget, reaches, type TextTarget } from './target.ts';

/** Knows which server software a channel uses and the request rules that follow from it. */
export interface ServerRules {
  /** Returns the manifest with the server's rules, or the given manifest while the server is unknown. Never waits. */
  manifestFor(channel: Channel, manifest: ProviderManifest): ProviderManifest;
}

/** The rules for processes that route no requests. */
export const RULES_OF_PROVIDERS: ServerRules = { manifestFor: (_channel, manifest) => manifest };

/** A channel that serves requests. Its parts are made when the first request needs them. */
export class ChannelInUse {
  private made: ChannelParts | null = null;
  private provided: readonly ProviderFormat[] | null = null;
  private relay: RelayChannel | null | undefined;

  constructor(
    readonly channel: Channel,
    readonly manifest: ProviderManifest,
    private readonly health: ChannelHealth,
    private readonly facts: ModelFacts,
    private readonly servers: ServerRules,
  ) {}

  /** Whether the model can be asked over this channel now, whoever asks. */
  isOpenFor(publicId: string, nowMs: number): boolean {
    const upstreamModel = entryOf(this.channel.models, publicId);
    return upstreamModel !== undefined && !this.health.isClosedTo(upstreamModel, nowMs);
  }

  /** Includes the rules of the channel's server, as far as it has been identified when they are first used. */
  get parts(): ChannelParts {
    this.made ??= channelParts(this.channel, this.servers.manifestFor(this.channel, this.manifest), this.health);
    return this.made;
  }

  /** `null` for a channel that no API is passed through to. */
  get relayed(): RelayChannel | null {
    if (this.relay === undefined) this.relay = relayChannel(this.parts);
    return this.relay;
  }

  /** Returns a target for each text format in which the model can be asked. */
  textTargets({ id: publicId, pricing }: Pick<Model, 'id' | 'pricing'>, upstreamModel: string): readonly TextTarget[] {
    const targets: TextTarget[] = [];
    const ruleModel = this.ruleModel(publicId, upstreamModel);
    const capabilities = this.facts.of(this.manifest.name, ruleModel)?.capabilities;
    const ids = { publicId, upstreamModel, ruleModel, capabilities, pricing };
    for (const one of formatsOf(this.channel, this.parts.manifest)) {
      const format = upstreamFormats.get(one.format);
      if (!format || (one.models && !one.models.test(ruleModel))) continue;
      const target = makeTextTarget(this.parts, one, format, ids);
      if (target) targets.push(target);
    }
    return targets;
  }

  /** Returns whether a client's format would have one of `textTargets`, without making them. */
  servesTexts(publicId: string, upstreamModel: string): boolean {
    const ruleModel = this.ruleModel(publicId, upstreamModel);
    return this.formats.some((one) => {
      const format = upstreamFormats.get(one.format);
      if (!format || (one.models && !one.models.test(ruleModel))) return false;
      return reaches(this, one) && (format.relayOnly !== true || clientFormats.has(format.name));
    });
  }

  /** Returns whether the provider stores the answers of this format and continues them by id. */
  keeps(format: string, publicId: string, upstreamModel: string): boolean {
    const ruleModel = this.ruleModel(publicId, upstreamModel);
    return this.formats.some(
      (one) => one.format === format && one.stores === true && one.models?.test(ruleModel) !== false,
    );
  }

  /** Returns the id by which rules refer to the model. */
  ruleModel(publicId: string, upstreamModel: string): string {
    return chooseRuleModel(this.facts, this.manifest, publicId, upstreamModel);
  }

  private get formats(): readonly ProviderFormat[] {
    this.provided ??= formatsOf(this.channel, this.manifest);
    return this.provided;
  }
}

/** Returns the formats that a channel speaks, in order of preference. */
export function formatsOf(channel: Channel, manifest: ProviderManifest): readonly ProviderFormat[] {
  if (channel.formats === null) return manifest.formats.filter(({ optIn }) => optIn !== true);
  return channel.formats.flatMap((name) => manifest.formats.filter(({ format }) => format === name));
}
