import { Failure } from '../../src/domain/failure/failure.ts';
import { channelParts, makeTextTarget, type TextTarget } from '../../src/engine/directory/target.ts';
import { Memories } from '../../src/engine/operations/text/past.ts';
import { RelayLane } from '../../src/engine/operations/text/relay-lane.ts';
import type { TextLane } from '../../src/engine/operations/text/text-lane.ts';
import { Translation } from '../../src/engine/operations/text/translation.ts';
import { sampleChannel } from '../../src/engine/ports/testing/samples.ts';
import { clientFormats, upstreamFormats } from '../../src/formats/index.ts';
import type { AnswerContext, ParsedRequest } from '../../src/formats/text/client-request.ts';
import type { ClientFormat } from '../../src/formats/text/format.ts';
import { providers } from '../../src/providers/index.ts';
import { MemoryConversationState } from '../../src/stores/in-process/conversation-state.ts';
import { createSealing } from '../../src/stores/shared/account-sealing.ts';
import type { Upstream } from '../matrix/channels.ts';
import type { ClientFormat as ClientFormatName } from '../readers/index.ts';

const utf8 = new TextEncoder();
const CREATED = 1_760_000_000;

/** Returns the provider's channel for one model, as the gateway builds it. */
export function targetOf({ provider, format, settings = {}, modelPrefix = '' }: Upstream): TextTarget {
  const manifest = providers.get(provider);
  const provided = manifest?.formats.find((one) => one.format === format);
  const upstream = upstreamFormats.get(format);
  if (manifest === undefined || provided === undefined || upstream === undefined)
    throw new Error(`${provider} has no ${format}`);
  const channel = sampleChannel({
    ...{ id: 'captured', provider, baseUrl: 'https://upstream.invalid/v1', apiKey: 'k', settings, formats: [format] },
    models: {},
  });
  const model = `${modelPrefix}a-model`;
  const target = makeTextTarget(channelParts(channel, manifest), provided, upstream, {
    publicId: model,
    upstreamModel: model,
    ruleModel: model,
  });
  if (target === null) throw new Error(`${provider} has no address for ${format}`);
  return target;
}

/** A client that waits for a response to a plain question. */
export class WaitingClient {
  readonly format: ClientFormat;
  readonly parsed: ParsedRequest;
  readonly context: AnswerContext;
  private ids = 0;

  constructor(name: ClientFormatName) {
    const format = clientFormats.get(name);
    if (format === undefined) throw new Error(`there is no client format ${name}`);
    this.format = format;
    const isGemini = name === 'gemini';
    const call = { purpose: 'generate', model: isGemini ? 'public' : null, stream: isGemini || null } as const;
    const parsed = format.parseRequest(utf8.encode(JSON.stringify(ASKED[name])), { ...call, framing: 'sse' });
    if (parsed instanceof Failure) throw new Error(parsed.message);
    const request = format.decodeRequest(parsed);
    if (request instanceof Failure) throw new Error(request.message);
    this.parsed = parsed;
    const { newId } = this;
    this.context = {
      publicModel: 'public',
      routing: { json: '{}' },
      parsed,
      request,
      created: CREATED,
      estimatedPromptTokens: () => 8,
      newId,
    };
  }

  /** Returns the translate lane to a target, even if the target speaks the client's own format. */
  translatedTo(target: TextTarget): TextLane {
    const { format, parsed, newId } = this;
    const media = { maxUrls: 0, open: () => unreachable() };
    const memory = new Memories(new MemoryConversationState());
    const input = { format, parsed, bodyBytes: 100, accountId: 'acme', client: CLIENT, whenOver: () => undefined };
    const ports = { media, clock: CLOCK, newId, sealing: createSealing('secret') };
    return new Translation(ports, memory, input).lane(target, target.routing);
  }

  /** Returns `null` if the target speaks another format. */
  relayedTo(target: TextTarget): TextLane | null {
    const { format, parsed } = this;
    if (target.wire.name !== format.name) return null;
    const translating = { translatedLane: () => this.translatedTo(target) };
    return new RelayLane(format, parsed, target, CLIENT, target.routing, translating, {
      clock: CLOCK,
      newId: this.newId,
    });
  }

  private readonly newId = (prefix: string) => `${prefix}${String(++this.ids).padStart(24, '0')}`;
}

const CLOCK = { nowMs: () => CREATED * 1000, monotonicMs: () => 0 };
const CLIENT = { signal: new AbortController().signal, header: () => null };

const THOUGHTS = { type: 'enabled', budget_tokens: 1024 };
/** Each requests reasoning and usage, which some formats only show on request. */
const ASKED: Readonly<Record<ClientFormatName, unknown>> = {
  'openai-chat': {
    ...{ model: 'public', stream: true, stream_options: { include_usage: true } },
    messages: [{ role: 'user', content: 'hi' }],
  },
  'openai-responses': { model: 'public', stream: true, input: 'hi', reasoning: { summary: 'auto' } },
  'anthropic-messages': {
    ...{ model: 'public', stream: true, max_tokens: 9_000, thinking: THOUGHTS },
    messages: [{ role: 'user', content: 'hi' }],
  },
  gemini: {
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  },
};

function unreachable(): never {
  throw new Error('nothing has to be fetched');
}
