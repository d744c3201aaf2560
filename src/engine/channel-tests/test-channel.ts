import type { Channel } from '../../domain/catalog/channel.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { servesChat } from '../../domain/catalog/model-operation.ts';
import { suggestModels } from '../../domain/catalog/suggest.ts';
import { emptyRequest } from '../../domain/exchange/request.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { upstreamFormats } from '../../formats/index.ts';
import { textOf } from '../../formats/shared/json-writer.ts';
import { entryOf } from '../../formats/shared/record.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import { refused, send } from '../call/attempt.ts';
import { OtherFormats } from '../call/other-formats.ts';
import { upstreamRequestIdOf } from '../call/upstream-request-id.ts';
import { formatsOf } from '../directory/directory.ts';
import { channelParts, makeTarget, type Target, targetFor } from '../directory/target.ts';
import type { Clock } from '../ports/clock.ts';
import type { Upstream, UpstreamAnswer, WaitingClient } from '../ports/upstream.ts';
import { readTestAnswer, type TestAnswer } from './test-answer.ts';

/** Of no client's format, so that every upstream format writes the request in its own words. */
const CLIENT = 'channel-test';
const PROMPT = 'Reply with the single word OK.';
/** A model that thinks spends most of it before its first word; the others stop after one or two tokens. */
const MAX_OUTPUT_TOKENS = 256;
/** A person waits at a terminal, so the channel's own limit counts only where it is shorter. */
const USUAL_TOTAL_MS = 60_000;

const utf8 = new TextEncoder();

export interface ChannelTestInput {
  readonly channel: Channel;
  readonly manifest: ProviderManifest;
  /** What is known of the channel's models: it says which ones chat. */
  readonly modelOf: (modelId: string) => Model;
  /** A public id; `null` takes the channel's first chat model. */
  readonly modelId: string | null;
  readonly stream: boolean;
  /** For the whole request; `null` for a minute, or the channel's own limit where that is shorter. */
  readonly totalMs: number | null;
}

export interface ChannelTestPorts {
  readonly upstream: Upstream;
  readonly clock: Clock;
}

/** One request of a test, in one of the channel's formats. */
export interface ChannelTry {
  readonly format: string;
  /** Where it was sent, without the query. */
  readonly address: string;
  /** The answer's HTTP status; `null` where there was none. */
  readonly status: number | null;
  readonly latencyMs: number;
  /** Until the first content of a stream. */
  readonly firstByteMs: number | null;
  readonly upstreamRequestId: string | null;
  readonly result: TestAnswer | Failure;
}

export interface ChannelTest {
  readonly modelId: string;
  readonly upstreamModel: string;
  /** In order, never empty; the last one is how the test ended. */
  readonly tries: readonly ChannelTry[];
}

/**
 * Sends one small real request to a channel, whether it is in use or not, in the first of its formats that it has an
 * address for. Where a gateway would go on to the channel's next format, since the address does not have this one, so
 * does the test. A `Failure` of the whole says why there is nothing to send; one in a try is the upstream's.
 */
export async function testChannel(ports: ChannelTestPorts, input: ChannelTestInput): Promise<ChannelTest | Failure> {
  const modelId = chosenModel(input);
  if (modelId instanceof Failure) return modelId;
  const upstreamModel = entryOf(input.channel.models, modelId) ?? modelId;
  const targets = targetsOf(input, modelId, upstreamModel);
  const preferred = targetFor(CLIENT, targets) ?? targets[0];
  if (preferred === undefined) {
    return untestable(`The channel \`${input.channel.id}\` has no address and format for \`${upstreamModel}\`.`);
  }
  const formats = new OtherFormats();
  const first = formats.candidate(preferred, '');
  const tries = [cleaned(await tryTarget(ports, input, first.target), first.target)];
  const failure = tries[0]?.result;
  for (const { target } of failure instanceof Failure ? formats.after(first, failure) : []) {
    const next = cleaned(await tryTarget(ports, input, target), target);
    tries.push(next);
    if (!(next.result instanceof Failure)) break;
  }
  return { modelId, upstreamModel, tries };
}

function cleaned(tried: ChannelTry, { secrets }: Target): ChannelTry {
  return tried.result instanceof Failure ? { ...tried, result: secrets.cleaned(tried.result) } : tried;
}

function untestable(message: string): Failure {
  return new Failure('invalid_value', { message });
}

function chosenModel({ channel, modelOf, modelId }: ChannelTestInput): string | Failure {
  const served = Object.keys(channel.models);
  if (modelId === null) {
    const first = served.find((id) => servesChat(modelOf(id)));
    return first ?? untestable(`The channel \`${channel.id}\` serves no chat model, and only those can be tested.`);
  }
  if (!served.includes(modelId)) {
    const [guess] = suggestModels(modelId, served, 1);
    const hint = guess === undefined ? '' : ` Did you mean \`${guess}\`?`;
    return untestable(`The channel \`${channel.id}\` does not serve \`${modelId.slice(0, 256)}\`.${hint}`);
  }
  const model = modelOf(modelId);
  if (servesChat(model)) return modelId;
  return untestable(`\`${modelId}\` is a model for ${model.category}; only chat models can be tested.`);
}

function targetsOf({ channel, manifest }: ChannelTestInput, modelId: string, upstreamModel: string): readonly Target[] {
  const parts = channelParts(channel, manifest);
  return formatsOf(channel, manifest).flatMap((provided) => {
    const upstream = upstreamFormats.get(provided.format);
    if (!upstream || provided.models?.test(upstreamModel) === false) return [];
    return makeTarget(parts, provided, upstream, modelId, upstreamModel) ?? [];
  });
}

async function tryTarget(
  { upstream, clock }: ChannelTestPorts,
  { stream, totalMs }: ChannelTestInput,
  target: Target,
): Promise<ChannelTry> {
  const url = stream ? target.streamUrl : target.url;
  const common = { format: target.upstream.name, address: withoutSecrets(url) };
  const startedMs = clock.monotonicMs();
  const elapsedMs = () => clock.monotonicMs() - startedMs;
  const unanswered = { status: null, firstByteMs: null, upstreamRequestId: null };
  const encoded = target.upstream.encodeRequest(smallRequest(), { ...target.encoding, stream });
  if (encoded instanceof Failure) return { ...common, ...unanswered, latencyMs: elapsedMs(), result: encoded };
  const timeouts = target.timeouts[stream ? 'stream' : 'whole'];
  const answer = await send(upstream, {
    target,
    url,
    headers: stream ? target.streamHeaders : target.headers,
    prepared: { ...encoded, body: utf8.encode(textOf(encoded.body)), headers: encoded.headers ?? null },
    timeouts: { ...timeouts, totalMs: Math.min(timeouts.totalMs, totalMs ?? USUAL_TOTAL_MS) },
    client: nobody(),
  });
  if (answer instanceof Failure) return { ...common, ...unanswered, latencyMs: elapsedMs(), result: answer };
  let firstByteMs: number | null = null;
  const onContent = () => {
    firstByteMs ??= elapsedMs();
  };
  const result = await resultOf(target, answer, stream, onContent);
  const { status } = answer;
  return {
    ...common,
    status,
    firstByteMs,
    upstreamRequestId: upstreamRequestIdOf(answer.headers),
    latencyMs: elapsedMs(),
    result,
  };
}

async function resultOf(target: Target, answer: UpstreamAnswer, stream: boolean, onContent: () => void) {
  if (answer.status < 200 || answer.status > 299) return refused(target, answer);
  return readTestAnswer(target, answer, stream, onContent);
}

/** Without what some models refuse. */
function smallRequest() {
  const messages = [{ role: 'user', parts: [{ type: 'text', text: PROMPT }] }] as const;
  return { ...emptyRequest(CLIENT, {}), messages, maxOutputTokens: MAX_OUTPUT_TOKENS };
}

/** The person at the terminal leaves by ending the process. */
function nobody(): WaitingClient {
  return { signal: new AbortController().signal };
}

/** Some upstreams take their key in the query. */
function withoutSecrets(url: string): string {
  return url.replace(/\?.*$/s, '').replace(/\/\/[^/@]*@/, '//');
}
