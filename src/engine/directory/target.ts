import type { Capabilities } from '../../domain/catalog/capabilities.ts';
import { type Channel, placeOf, timeoutsOfCalls } from '../../domain/catalog/channel.ts';
import type { Carries, Feature } from '../../domain/exchange/loss.ts';
import { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import type { ModelPricing } from '../../domain/money/pricing.ts';
import type { Weighted } from '../../domain/routing/order.ts';
import type { EmbeddingTraits } from '../../formats/embeddings/wire.ts';
import { clientFormats } from '../../formats/index.ts';
import { entryOf } from '../../formats/shared/json/record.ts';
import { ANTHROPIC_LIMITS, type LimitSpelling, OPENAI_LIMITS } from '../../formats/shared/rate-limits/stated-limits.ts';
import type { SpeechDialect } from '../../formats/speech/wire.ts';
import type { BodyTest, EncodeTarget, UpstreamFormat } from '../../formats/text/format.ts';
import type { Quirk } from '../../formats/text/quirk.ts';
import type { TranscriptionTraits } from '../../formats/transcription/wire.ts';
import type { OwnMembers, Wire } from '../../formats/wire.ts';
import type {
  BodyPatch,
  LocalUpstream,
  ProviderFormat,
  ProviderManifest,
  ProviderWire,
  Signer,
  UpstreamPath,
} from '../../providers/manifest.ts';
import { ChannelHealth, type ModelHealth } from '../health/channel-health.ts';
import { GovernedMembers } from './governed.ts';
import { isGuarded } from './guarded-channel.ts';
import { type RelayMembers, relayMembers } from './relay-members.ts';
import { UpstreamSecrets } from './upstream-secrets.ts';

type Headers = Readonly<Record<string, string>>;

/** One model of a channel in one format, with everything that an attempt needs, computed once when the directory is read. */
export interface Target extends Weighted {
  readonly channel: Channel;
  /** Identifies the channel's upstream key: everything that a later request must return to is remembered by it (`placeOf`). */
  readonly place: string;
  readonly upstreamModel: string;
  /** The public id of the model. */
  readonly publicModel: string;
  /** How the provider states its rate limits; `null` if they are not followed. */
  readonly limitSpelling: LimitSpelling | null;
  /** The id by which model rules refer to it; the upstream's id if absent. */
  readonly ruleModel?: string;
  /** The catalog's capabilities of the model at this provider; absent if unknown. */
  readonly capabilities?: Capabilities;
  readonly timeouts: ReturnType<typeof timeoutsOfCalls>;
  /** The wire that the upstream speaks here. */
  readonly wire: Wire;
  /** The provider's differences from a non-text wire. */
  readonly members?: OwnMembers;
  readonly speech?: readonly SpeechDialect[];
  readonly transcription?: TranscriptionTraits;
  readonly embeddings?: EmbeddingTraits;
  /** The base address of the channel, without a trailing slash. */
  readonly baseUrl: string;
  readonly url: string;
  readonly streamUrl: string;
  readonly headers: Headers;
  readonly streamHeaders: Headers;
  readonly signer: Signer | null;
  readonly secrets: UpstreamSecrets;
  /** The channel's other wires, for a request that this one cannot carry. */
  readonly alternatives: readonly Target[];
  /** The members that a shared channel must check before it passes them on; `null` for none, as on an account's own channel. */
  readonly governed: GovernedMembers | null;
  readonly health: ModelHealth;
  readonly local: LocalUpstream | undefined;
  /** The header in which the provider takes a request id. */
  readonly requestIdHeader: string;
  /** Whether its answers are invented. */
  readonly isSynthetic?: true | undefined;
  readonly isGuarded: boolean;
  /** The model's prices, if what is spent with the channel's key is counted. */
  readonly keyPricing?: ModelPricing;
  /** The routing facts of its answers, without retries. */
  readonly routing: RoutingFacts;
}

/** A target for text generation. */
export interface TextTarget extends Target {
  readonly wire: UpstreamFormat;
  /** The URL for counting tokens; `null` if the upstream cannot count them. */
  readonly countUrl: string | null;
  /** The URL for compacting conversations; `null` if the upstream cannot compact them. */
  readonly compactUrl: string | null;
  /** The provider's changes to every body. */
  readonly body: BodyPatch | null;
  /** Whether the upstream stores answers and continues them by id. */
  readonly stores: boolean;
  readonly framing: 'sse' | 'aws-event-stream';
  readonly encoding: Omit<EncodeTarget, 'stream'>;
  readonly alternatives: readonly TextTarget[];
  readonly relayMembers: RelayMembers | null;
  /** Whether the provider knows `session_id`. */
  readonly takesSessionId: boolean;
  /** Finds bodies that the provider rejects unless they are translated; `null` if it rejects none. */
  readonly relayBreach: BodyTest | null;
}

/** A wire as the provider offers it. */
interface ProvidedWay extends Pick<ProviderWire, 'path' | 'baseUrl' | 'headers'> {
  readonly name: string;
}

/** The facts of a target that was asked. `upstreamModel` is `null` for a call that names no model. */
export interface AskedTarget
  extends Pick<
    Target,
    'channel' | 'place' | 'health' | 'isPrivate' | 'governed' | 'routing' | 'ruleModel' | 'keyPricing'
  > {
  readonly upstreamModel: string | null;
  /** Absent if the answers of the call state no rate limits. */
  readonly limitSpelling?: LimitSpelling | null;
}

/** The ids of one model of a channel. */
export interface ModelIds {
  readonly publicId: string;
  readonly upstreamModel: string;
  readonly ruleModel: string;
  /** The catalog's capabilities of the model at this provider. */
  readonly capabilities?: Capabilities | null | undefined;
  /** The model's prices; needed if what is spent with the channel's key is counted. */
  readonly pricing?: ModelPricing;
}

/** The parts that the targets of one channel share. */
export interface ChannelParts {
  readonly channel: Channel;
  readonly manifest: ProviderManifest;
  readonly signer: Signer | null;
  readonly secrets: UpstreamSecrets;
  readonly health: ChannelHealth;
  readonly routing: RoutingFacts;
}

/** Makes the parts of a channel. `health` is the routing state; by default a new one, for a channel outside of routing. */
export function channelParts(
  channel: Channel,
  manifest: ProviderManifest,
  health = new ChannelHealth(placeOf(channel), channel.breaker),
): ChannelParts {
  const routing = routingFactsOf(channel);
  const credentials = { apiKey: channel.apiKey, settings: channel.settings };
  const signer = manifest.signer?.(credentials) ?? null;
  const secrets = new UpstreamSecrets(channel);
  return { channel, manifest, signer, secrets, health, routing };
}

export function routingFactsOf({
  id,
  name,
  provider,
  owner,
}: Pick<Channel, 'id' | 'name' | 'provider' | 'owner'>): RoutingFacts {
  return RoutingFacts.of({ id, name, provider, channelType: owner === null ? 'PLATFORM' : 'PRIVATE' });
}

/** Makes the target for one model in one of the provider's text formats; `null` if the channel has no address for it. */
export function makeTextTarget(
  parts: ChannelParts,
  provided: ProviderFormat,
  format: UpstreamFormat,
  ids: ModelIds,
): TextTarget | null {
  const { channel } = parts;
  const { upstreamModel, ruleModel } = ids;
  const way = wayTo(parts, { ...provided, name: provided.format }, upstreamModel);
  if (way === null) return null;
  const clientFormat = clientFormats.get(format.name);
  const quirks = (provided.quirks ?? []).filter(({ models }) => models === undefined || models.test(ruleModel));
  const known = quirks.filter(({ isGuess }) => isGuess !== true);
  return {
    ...commonOf(parts, ids, format.name),
    wire: format,
    baseUrl: way.baseUrl,
    url: way.url(provided.path, false),
    streamUrl: way.url(provided.path, true),
    countUrl: provided.countTokens === undefined ? null : way.url(provided.countTokens, false),
    compactUrl: provided.compact === undefined ? null : way.url(provided.compact, false),
    headers: wholeHeaders(way.headers),
    streamHeaders: streamHeaders(way.headers, provided),
    body: provided.body ?? null,
    stores: provided.stores === true,
    framing: provided.framing ?? 'sse',
    encoding: {
      upstreamModel,
      ruleModel,
      provider: channel.provider,
      channel: placeOf(channel),
      quirks,
      ...carriesOf(format.carries, quirks),
    },
    relayMembers: relayMembers(known, clientFormat?.fields),
    takesSessionId: provided.takesSessionId === true,
    relayBreach: clientFormat?.relayBreach?.(known) ?? null,
    governed: channel.owner === null ? governedBy(provided) : null,
    alternatives: [],
  };
}

/** Makes the target for one model over a non-text wire; `null` if the channel has no address for it. */
export function makeTarget(parts: ChannelParts, provided: ProviderWire, wire: Wire, ids: ModelIds): Target | null {
  const { channel } = parts;
  const way = wayTo(parts, { ...provided, name: provided.wire }, ids.upstreamModel);
  if (way === null) return null;
  const url = way.url(provided.path, false);
  const headers = wholeHeaders(way.headers);
  const embeddings = provided.embeddings?.find(({ models }) => models === undefined || models.test(ids.ruleModel));
  return {
    ...commonOf(parts, ids, wire.name),
    ...{ wire, baseUrl: way.baseUrl, url, streamUrl: way.url(provided.path, true), headers, streamHeaders: headers },
    ...(provided.members !== undefined && { members: provided.members }),
    ...(provided.speech !== undefined && { speech: provided.speech }),
    ...(provided.transcription !== undefined && { transcription: provided.transcription }),
    ...(embeddings !== undefined && { embeddings }),
    governed: channel.owner === null ? governedBy(provided) : null,
    alternatives: [],
  };
}

/** A request about the channel itself: its models, or the validity of its key. */
export type ChannelQuestion = Pick<Target, 'signer' | 'secrets' | 'local' | 'isGuarded' | 'url' | 'headers'>;

/** Makes a request about the channel, authorized as for the provider's first wire; `null` if the channel has no address for it. */
export function makeQuestion(
  parts: ChannelParts,
  question: { readonly path: string } & Pick<ProviderWire, 'baseUrl' | 'headers'>,
): ChannelQuestion | null {
  const { channel, manifest, signer, secrets } = parts;
  const { formats, wires = [] } = manifest;
  const [first] = [...formats.map(({ format: name, headers }) => ({ name, headers })), ...namesOf(wires)];
  if (first === undefined) return null;
  const headers = { ...first.headers, ...question.headers };
  const way = wayTo(parts, { ...question, name: first.name, headers }, '');
  if (way === null) return null;
  return {
    ...{ signer, secrets, local: manifest.local, isGuarded: isGuarded(channel, manifest) },
    url: way.url(question.path, false),
    headers: { ...way.headers, accept: 'application/json' },
  };
}

function namesOf(wires: readonly ProviderWire[]) {
  return wires.map(({ wire: name, headers }) => ({ name, headers }));
}

/** Returns the properties that all kinds of targets have. */
function commonOf(
  parts: ChannelParts,
  { publicId, upstreamModel, ruleModel, capabilities, pricing }: ModelIds,
  wire: string,
) {
  const { channel, manifest, signer, secrets, routing } = parts;
  return {
    channel,
    place: placeOf(channel),
    upstreamModel,
    publicModel: publicId,
    limitSpelling: channel.followsProviderLimits ? spellingOf(manifest, wire) : null,
    ruleModel,
    ...(capabilities && { capabilities }),
    ...(channel.upstreamKey !== undefined && { keyPricing: pricing ?? null }),
    timeouts: timeoutsOfCalls(entryOf(channel.timeouts.models, publicId) ?? channel.timeouts),
    signer,
    secrets,
    health: parts.health.model(upstreamModel),
    local: manifest.local,
    requestIdHeader: requestIdHeaderOf(manifest),
    isSynthetic: manifest.isSynthetic,
    isGuarded: isGuarded(channel, manifest),
    priority: channel.priority,
    weight: channel.weight,
    isPrivate: channel.owner !== null,
    routing,
  };
}

/** Most providers use the headers of the vendor whose format they speak. */
function spellingOf({ rateLimits }: ProviderManifest, wire: string): LimitSpelling {
  return rateLimits ?? (wire === 'anthropic-messages' ? ANTHROPIC_LIMITS : OPENAI_LIMITS);
}

export function requestIdHeaderOf({ requestIdHeader }: Pick<ProviderManifest, 'requestIdHeader'>): string {
  return requestIdHeader ?? 'x-request-id';
}

/** Returns the address and headers of a provider's wire; `null` if the channel has no address for it. */
function wayTo(parts: ChannelParts, provided: ProvidedWay, model: string) {
  const { channel, manifest, signer } = parts;
  const baseUrl = baseUrlOf(parts, provided);
  if (baseUrl === null) return null;
  const { settings, apiKey } = channel;
  const url = (path: UpstreamPath, stream: boolean) =>
    baseUrl + (typeof path === 'string' ? path : path({ model, stream, settings }));
  const authorization = manifest.authorize?.({ apiKey, settings }, provided.name);
  const headers: Headers = {
    ...(authorization ?? (signer === null ? bearer(apiKey) : {})),
    ...provided.headers,
    'content-type': 'application/json',
    'user-agent': 'switchyard',
  };
  return { baseUrl, url, headers };
}

/**
 * Returns the target of a channel and model for clients of one format, with the other formats as its alternatives: the one in that format,
 * else the provider's preferred one. `null` if no request of these clients can be sent.
 */
export function targetFor(clientFormat: string, targets: readonly TextTarget[]): TextTarget | null {
  const isOpen = ({ wire }: Target) => wire.relayOnly !== true;
  const own = targets.find(({ wire }) => wire.name === clientFormat) ?? targets.find(isOpen);
  if (own === undefined) return null;
  const alternatives = targets.filter((one) => one !== own && isOpen(one));
  return alternatives.length === 0 ? own : { ...own, alternatives };
}

/** Returns whether the channel has an address for one of the provider's formats. */
export function reaches(place: Pick<ChannelParts, 'channel' | 'manifest'>, provided: ProviderFormat): boolean {
  return baseUrlOf(place, { ...provided, name: provided.format }) !== null;
}

/**
 * Returns the base address of a wire. A channel's own `base_url` replaces the provider's usual one. A format with a separate address is
 * then used only if the channel's `formats` names it, because a key must not go to an address that its operator did not intend.
 */
function baseUrlOf(
  { channel, manifest }: Pick<ChannelParts, 'channel' | 'manifest'>,
  provided: ProvidedWay,
): string | null {
  if (channel.baseUrl !== null) {
    const isMeant = provided.baseUrl === undefined || channel.formats?.includes(provided.name) === true;
    return isMeant ? channel.baseUrl : null;
  }
  const usual = provided.baseUrl ?? manifest.baseUrlOf?.(channel.settings) ?? manifest.baseUrl;
  return usual ?? (manifest.local ? 'http://local.invalid' : null);
}

/** Freezes the headers, because the head of a request is assembled once per headers object (`request-head.ts`). */
function wholeHeaders(common: Headers): Headers {
  return Object.freeze({ ...common, accept: 'application/json' });
}

function streamHeaders(common: Headers, { framing }: ProviderFormat): Headers {
  const accept = framing === 'aws-event-stream' ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
  // A proxy that compresses may collect chunks before it sends them on.
  return Object.freeze({ ...common, accept, 'accept-encoding': 'identity' });
}

/** Cached per manifest entry, because the directory is rebuilt at every change. */
const governedByWay = new WeakMap<ProviderFormat | ProviderWire, GovernedMembers>();

function governedBy(provided: ProviderFormat | ProviderWire): GovernedMembers | null {
  if (provided.governs === undefined || provided.governs.length === 0) return null;
  let governed = governedByWay.get(provided);
  if (governed === undefined) {
    governed = new GovernedMembers(provided.governs);
    governedByWay.set(provided, governed);
  }
  return governed;
}

/** Returns the features that the target carries while the model reasons and, if it then carries more, while it does not. */
function carriesOf(carries: Carries, quirks: readonly Quirk[]): Pick<EncodeTarget, 'carries' | 'atRest'> {
  const table = carriesWith(carries, quirks);
  const [reasons] = quirks.flatMap((quirk) => (quirk.kind === 'lacks' && quirk.while ? [quirk.while] : []));
  if (reasons === undefined) return { carries: table };
  const lasting = quirks.filter((quirk) => quirk.kind !== 'lacks' || quirk.while === undefined);
  return { carries: table, atRest: { carries: carriesWith(carries, lasting), reasons } };
}

/** Returns the format's own table with the provider's differences applied. */
function carriesWith(carries: Carries, quirks: readonly Quirk[]): Carries {
  const changes: Partial<Record<Feature, Carries[Feature]>> = {};
  for (const quirk of quirks) {
    if (quirk.kind === 'lacks') changes[quirk.feature] = { verdict: quirk.verdict, why: quirk.why };
    else if (quirk.kind === 'has') changes[quirk.feature] = 'exact';
  }
  return { ...carries, ...changes };
}

function bearer(apiKey: string | null): Record<string, string> {
  return apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
}
