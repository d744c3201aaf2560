import { Failure } from '../../src/domain/failure/failure.ts';
import { channelParts, makeTextTarget, type TextTarget } from '../../src/engine/directory/target.ts';
import { Memories } from '../../src/engine/operations/text/past.ts';
import { Translation } from '../../src/engine/operations/text/translation.ts';
import type { MediaFetcher } from '../../src/engine/ports/media-fetcher.ts';
import { sampleChannel } from '../../src/engine/ports/testing/samples.ts';
import { clientFormats, upstreamFormats } from '../../src/formats/index.ts';
import type { ParsedRequest } from '../../src/formats/text/client-request.ts';
import { providers } from '../../src/providers/index.ts';
import { MemoryConversationState } from '../../src/stores/in-process/conversation-state.ts';
import { createSealing } from '../../src/stores/shared/account-sealing.ts';
import type { Format } from '../judges/index.ts';
import type { ReportedLoss } from '../requests/leaf-check.ts';
import { channelOf, type ModelKind, TARGET_FORMATS, type TargetFormat, upstreamModel } from '../requests/targets.ts';
import { fileBehind } from './leaf-values.ts';

/** A request as the gateway translates it for one upstream, without any socket. */
export type Translated =
  | { readonly kind: 'sent'; readonly body: Uint8Array; readonly url: string; readonly losses: readonly ReportedLoss[] }
  | { readonly kind: 'refused'; readonly param: string | null; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** Returns a few bytes for every URL, of the type that its ending names. */
const media: MediaFetcher = {
  maxUrls: 100,
  open: () => ({
    fetch: (url) => {
      const { base64, mediaType } = fileBehind(url);
      return Promise.resolve({ bytes: new Uint8Array(Buffer.from(base64, 'base64')), mediaType });
    },
    open: () => Promise.reject(new Error('Files are not forwarded here.')),
    release: () => undefined,
  }),
};

const memory = new Memories(new MemoryConversationState());
const sealing = createSealing('secret');
const utf8 = new TextEncoder();

const targets = new Map<string, ReturnType<typeof targetOf>>(
  TARGET_FORMATS.flatMap((format) =>
    (['plain', 'thinking'] as const).map((kind) => [`${format} ${kind}`, targetOf(format, kind)] as const),
  ),
);

/** Returns the parsed request, or the refusal. */
export function parse(format: Format, body: unknown): ParsedRequest | Translated {
  const isGemini = format === 'gemini';
  const call = {
    purpose: 'generate',
    model: isGemini ? 'public' : null,
    stream: isGemini ? false : null,
    framing: 'sse',
  } as const;
  try {
    const parsed = clientFormat(format).parseRequest(utf8.encode(JSON.stringify(body)), call);
    return parsed instanceof Failure ? outcomeOf(parsed) : parsed;
  } catch (error) {
    return { kind: 'failed', message: String(error) };
  }
}

export async function translate(
  format: Format,
  parsed: ParsedRequest,
  target: TargetFormat,
  kind: ModelKind,
  bodyBytes = parsed.bytes.length,
): Promise<Translated> {
  const to = targets.get(`${target} ${kind}`);
  if (to === undefined) throw new Error(`there is no target ${target} for a ${kind} request`);
  const client = { signal: new AbortController().signal, header: () => null };
  const clock = { nowMs: () => 0, monotonicMs: () => 0 };
  const ports = { media, clock, newId: (prefix: string) => `${prefix}1`, sealing };
  const input = {
    format: clientFormat(format),
    parsed,
    bodyBytes,
    accountId: 'account',
    client,
    whenOver: () => undefined,
  };
  try {
    const lane = await new Translation(ports, memory, input).lane(to, to.routing).request();
    if (lane instanceof Failure) return outcomeOf(lane);
    return { kind: 'sent', body: lane.body, url: parsed.stream ? to.streamUrl : to.url, losses: lane.losses };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function clientFormat(format: Format) {
  const found = clientFormats.get(format);
  if (found === undefined) throw new Error(`there is no client format ${format}`);
  return found;
}

function outcomeOf({ side, status, message, details }: Failure): Translated {
  if (side !== 'client' || status !== 400) return { kind: 'failed', message: `${status}: ${message}` };
  return { kind: 'refused', param: details.param ?? null, message };
}

function targetOf(format: TargetFormat, kind: ModelKind): TextTarget {
  const { id, name, provider, base_url: baseUrl, settings = {} } = channelOf(format, 'http://provider.invalid');
  const manifest = providers.get(provider);
  const provided = manifest?.formats.find((one) => one.format === format);
  const upstream = upstreamFormats.get(format);
  if (manifest === undefined || provided === undefined || upstream === undefined) throw new Error(`no ${format}`);
  const channel = sampleChannel({
    ...{ id, name, provider, baseUrl: String(baseUrl), settings: settings as never, formats: [format], models: {} },
  });
  const model = upstreamModel(format, kind);
  const ids = { publicId: id, upstreamModel: model, ruleModel: model };
  const target = makeTextTarget(channelParts(channel, manifest), provided, upstream, ids);
  if (target === null) throw new Error(`the channel has no address for ${format}`);
  return target;
}
