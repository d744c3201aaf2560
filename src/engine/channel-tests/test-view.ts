import type { Channel } from '../../domain/catalog/channel.ts';
import { completionTokens, promptTokens } from '../../domain/exchange/usage.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { RecognizedServer } from '../servers/recognize-server.ts';
import { serverView } from '../servers/server-view.ts';
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
    enabled: channel.enabled,
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
