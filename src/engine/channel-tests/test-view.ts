import type { Channel } from '../../domain/catalog/channel.ts';
import { completionTokens, promptTokens } from '../../domain/exchange/usage.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import { type RecognizedServer, serverView } from '../servers/recognize-server.ts';
import type { ProbeInput, ProbeResult } from './probe-channel.ts';
import type { ProbedChannel, ReachableModel } from './reachable-models.ts';
import type { ChannelTest } from './test-channel.ts';
import { testHint } from './test-hint.ts';
import type { ChannelTry } from './test-job.ts';

export interface TestReport {
  readonly channel: Channel;
  readonly manifest: ProviderManifest;
  readonly server: RecognizedServer;
  readonly test: ChannelTest;
}

export function hasAnswered({ tries }: ChannelTest): boolean {
  return tries.at(-1)?.result instanceof Failure === false;
}

/** Returns a test as JSON. */
export function channelTestView({ channel, manifest, server, test }: TestReport) {
  return {
    channel: channel.id,
    key: channel.upstreamKey?.name ?? null,
    enabled: channel.enabled && channel.upstreamKey?.enabled !== false,
    blocked: channel.block !== null,
    server: serverView(server),
    model: test.modelId,
    upstream_model: test.upstreamModel,
    ok: hasAnswered(test),
    tries: test.tries.map((one) => tryAsJson(channel, manifest, one)),
  };
}

/** Returns a failure of the upstream as JSON, with a hint for the operator. */
export function failedTestView(
  { channel, manifest }: Pick<TestReport, 'channel' | 'manifest'>,
  asked: Pick<ChannelTry, 'address'>,
  failure: Failure,
) {
  const { code, kind, message } = failure;
  return { code, kind, message, hint: testHint(channel, manifest, asked, failure) };
}

function tryAsJson(channel: Channel, manifest: ProviderManifest, one: ChannelTry) {
  const { result } = one;
  const facts = {
    format: one.format,
    address: one.address,
    status: one.status,
    latency_ms: Math.round(one.latencyMs),
    first_byte_ms: one.firstByteMs === null ? null : Math.round(one.firstByteMs),
    upstream_request_id: one.upstreamRequestId,
  };
  if (result instanceof Failure) {
    return { ...facts, error: failedTestView({ channel, manifest }, one, result), answer: null };
  }
  const { text, thought, finish, usage, streamed } = result;
  const tokens =
    usage === null ? null : { prompt_tokens: promptTokens(usage), completion_tokens: completionTokens(usage) };
  return { ...facts, error: null, answer: { text, thought, finish, streamed, usage: tokens } };
}

/** Returns the result as JSON. `ok` is `null` if nothing could be tested without a cost. */
export function probeView(input: ProbeInput, result: ProbeResult) {
  const { checkedBy, failure, isListed, isCut, models, server, latencyMs } = result;
  return {
    provider: input.channel.provider,
    ok: failure === null ? (checkedBy === null ? null : true) : false,
    checked_by: checkedBy,
    latency_ms: latencyMs,
    server: serverView(server),
    error: failure && failedTestView(input, failure, failure.failure),
    listed: isListed,
    models_cut: isCut,
    models: models.map(modelView),
  };
}

/** The part of the provider's list that was read. */
interface ReadList {
  readonly isCut: boolean;
}

/** Returns the models that a saved channel could serve, and under which public ids it already serves them. */
export function reachableView({ channel }: ProbedChannel, models: readonly ReachableModel[], list: ReadList | null) {
  const servedAs = publicIdsByUpstream(channel);
  const offered = new Set(models.map(({ id }) => id));
  return {
    channel: channel.id,
    listed: list !== null,
    models_cut: list?.isCut === true,
    models: models.map((one) => ({ ...modelView(one), served_as: servedAs.get(one.id) ?? [] })),
    // Only a complete list proves that a model is gone.
    not_offered: list?.isCut === false ? [...servedAs.keys()].filter((id) => !offered.has(id)) : [],
  };
}

function modelView({ id, model, isKnown }: ReachableModel) {
  return {
    id,
    name: model.name,
    category: model.category,
    owned_by: model.ownedBy,
    operations: model.operations,
    context_tokens: model.capabilities?.contextTokens ?? null,
    known: isKnown,
    priced: model.pricing !== null,
  };
}

function publicIdsByUpstream({ models }: Channel): ReadonlyMap<string, readonly string[]> {
  const byUpstream = Map.groupBy(Object.entries(models), ([, upstream]) => upstream);
  return new Map([...byUpstream].map(([upstream, entries]) => [upstream, entries.map(([publicId]) => publicId)]));
}
