import { Failure } from '../../src/domain/failure/failure.ts';
import { losesMembers } from '../../src/engine/directory/relay-members.ts';
import { channelParts, makeTextTarget, type TextTarget } from '../../src/engine/directory/target.ts';
import { Memories } from '../../src/engine/operations/text/past.ts';
import { RelayLane } from '../../src/engine/operations/text/relay-lane.ts';
import { Translation } from '../../src/engine/operations/text/translation.ts';
import { bodyEdits } from '../../src/engine/operations/text/written-request.ts';
import { sampleChannel } from '../../src/engine/ports/testing/samples.ts';
import { clientFormats, upstreamFormats } from '../../src/formats/index.ts';
import { applyEdits } from '../../src/formats/shared/json/json-patch.ts';
import type { Quirk } from '../../src/formats/text/quirk.ts';
import { needsToolTranslation } from '../../src/formats/text/shared/tool-translation.ts';
import { providers } from '../../src/providers/index.ts';
import type { ProviderFormat, ProviderManifest } from '../../src/providers/manifest.ts';
import { MemoryConversationState } from '../../src/stores/in-process/conversation-state.ts';
import { createSealing } from '../../src/stores/shared/account-sealing.ts';
import { fileBehind } from '../leaves/leaf-values.ts';
import { type Probe, probesOf } from './probes.ts';
import { receivedOf } from './received.ts';
import { type Refusal, refusalOf, type StrictUpstream } from './rule.ts';

/*
 * Removes the quirks of a provider one at a time, and checks whether its strict upstream then refuses a request. It
 * calls the translation directly, without sockets.
 */

const media = {
  maxUrls: 100,
  open: () => ({
    fetch: (url: string) => {
      const { base64, mediaType } = fileBehind(url);
      return Promise.resolve({ bytes: new Uint8Array(Buffer.from(base64, 'base64')), mediaType });
    },
    open: () => Promise.reject(new Error('Files are not forwarded here.')),
    release: () => undefined,
  }),
};
const clock = { nowMs: () => 0, monotonicMs: () => 0 };
const ports = { media, clock, newId: (prefix: string) => `${prefix}1`, sealing: createSealing('secret') };
const memory = new Memories(new MemoryConversationState());
const client = { signal: new AbortController().signal, header: () => null };

export interface Place {
  readonly upstream: StrictUpstream;
  readonly manifest: ProviderManifest;
  readonly provided: ProviderFormat;
  readonly quirks: readonly Quirk[];
}

/** Returns the format that a strict upstream's provider declares; `null` if the upstream does not generate text. */
export function placeOf(upstream: StrictUpstream): Place | null {
  const manifest = providers.get(upstream.provider);
  const provided = manifest?.formats.find(({ format }) => format === upstream.wire);
  if (manifest === undefined || provided === undefined || !upstreamFormats.has(upstream.wire)) return null;
  const server = manifest.servers?.find(({ name }) => name === upstream.server);
  return { upstream, manifest, provided, quirks: server?.quirks[upstream.wire] ?? provided.quirks ?? [] };
}

function targetOf({ upstream, manifest, provided }: Place, model: string, quirks: readonly Quirk[]): TextTarget {
  const settings = upstream.provider === 'vertex' ? { project: 'a-project' } : {};
  const channel = sampleChannel({
    ...{ id: 'a', provider: manifest.name, baseUrl: 'http://provider.invalid', settings, formats: [upstream.wire] },
    models: {},
  });
  const format = upstreamFormats.get(upstream.wire);
  const ids = { publicId: 'public', upstreamModel: model, ruleModel: model };
  const target = format && makeTextTarget(channelParts(channel, manifest), { ...provided, quirks }, format, ids);
  if (!target) throw new Error(`there is no address for ${upstream.name}`);
  return target;
}

/** A request as sent; `null` if the gateway refuses it. */
interface Sent {
  readonly text: string;
  readonly headers: Headers;
}

/** Returns whether the request is relayed, as far as this depends on its body. */
function isRelayed(target: TextTarget, { format, body }: Probe): boolean {
  if (target.wire.name !== format || target.relayBreach?.(body) === true) return false;
  return !needsToolTranslation(body, target.encoding.quirks) && !losesMembers(body, target.relayMembers);
}

/**
 * A chat client's request to a chat upstream is also translated: for failover, and when a part of it cannot be relayed.
 */
const LANES = ['relayed', 'translated'] as const;
type Lane = (typeof LANES)[number];

async function sentTo(target: TextTarget, probe: Probe, lane: Lane): Promise<Sent | null> {
  const format = clientFormats.get(probe.format);
  if (format === undefined) throw new Error(`there is no client format ${probe.format}`);
  const bytes = new TextEncoder().encode(JSON.stringify({ model: 'public', ...probe.body }));
  const parsed = format.parseRequest(bytes, { purpose: 'generate', model: null, stream: null, framing: 'sse' });
  if (parsed instanceof Failure) throw new Error(parsed.message);
  const input = { format, parsed, bodyBytes: bytes.length, accountId: 'a', client, whenOver: () => undefined };
  const translation = new Translation(ports, memory, input);
  const translating = { translatedLane: () => translation.lane(target, target.routing) };
  const way =
    lane === 'relayed' && isRelayed(target, probe)
      ? new RelayLane(format, parsed, target, client, target.routing, translating, ports)
      : translating.translatedLane();
  const written = await way.request();
  if (written instanceof Failure) return null;
  const headers = new Headers(written.headers ?? {});
  const edits = target.body === null ? [] : bodyEdits(written.body, target.body, undefined);
  return { text: new TextDecoder().decode(applyEdits(written.body, edits)), headers };
}

async function refusalBy(upstream: StrictUpstream, model: string, sent: Sent): Promise<Refusal | null> {
  const target = `/models/${encodeURIComponent(model)}/x`;
  const bytes = new TextEncoder().encode(sent.text);
  const received = await receivedOf({ method: 'POST', target, headers: sent.headers, bytes });
  return refusalOf(upstream, { ...received, model });
}

/**
 * Returns the topic of a quirk. Quirks of one topic are removed together, because any that stayed could hide that
 * another is missing.
 */
export function topicOf(quirk: Quirk): string {
  switch (quirk.kind) {
    case 'lacks':
      // A provider without URLs of files would get the bytes.
      return `lacks ${quirk.feature.replace(/-(?:inline|url)$/, '')}`;
    case 'has':
      return `has ${quirk.feature}`;
    case 'rename':
      return `rename ${quirk.from}`;
    case 'omit':
    case 'set':
      return `${quirk.kind} ${quirk.field}`;
    case 'role':
      return `role ${quirk.from}`;
    case 'bounds':
      return `bounds ${quirk.field}`;
    case 'message-order':
      return `message-order ${quirk.rule}`;
    default:
      return quirk.kind;
  }
}

/**
 * Returns the sets of quirks to start from. At a provider that refuses unknown members, the `closed` quirk removes them
 * whatever the others do, so there is also a set without it.
 */
function baselinesOf(quirks: readonly Quirk[], topic: string): readonly (readonly Quirk[])[] {
  const open = quirks.filter(({ kind }) => kind !== 'closed');
  return open.length === quirks.length || topic === 'closed' ? [quirks] : [quirks, open];
}

/** Returns the rule that refuses the request without a quirk and accepts it with the quirk; `null` if there is none. */
export async function judgeOf(place: Place, quirk: Quirk): Promise<string | null> {
  const { upstream } = place;
  const topic = topicOf(quirk);
  for (const model of upstream.models.filter((id) => quirk.models?.test(id) ?? true)) {
    const all = place.quirks.filter(({ models }) => models === undefined || models.test(model));
    for (const quirks of baselinesOf(all, topic)) {
      const target = targetOf(place, model, quirks);
      const others = quirks.filter((one) => topicOf(one) !== topic);
      const without = targetOf(place, model, others);
      for (const [probe, lane] of probesOf(quirk).flatMap((one) => LANES.map((way) => [one, way] as const))) {
        const changed = await sentTo(without, probe, lane);
        const refusal = changed && (await refusalBy(upstream, model, changed));
        if (refusal === null) continue;
        const sent = await sentTo(target, probe, lane);
        if (sent === null || (await refusalBy(upstream, model, sent)) === null) return refusal.rule.id;
      }
    }
  }
  return null;
}
