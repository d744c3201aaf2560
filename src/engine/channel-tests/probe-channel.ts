import { servesChat } from '../../domain/catalog/model-operation.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { type ChannelParts, channelParts, makeQuestion } from '../directory/target.ts';
import type { Clock } from '../ports/clock.ts';
import type { Upstream } from '../ports/upstream.ts';
import { askChannel, isNotThere } from '../servers/ask-channel.ts';
import { type RecognizedServer, serverOf, UNKNOWN_SERVER } from '../servers/recognize-server.ts';
import { describedModels, listedIds, type ProbedChannel, type ReachableModel } from './reachable-models.ts';
import { testChannel } from './test-channel.ts';
import { withoutSecrets } from './test-job.ts';

export const CHECKED_BY = ['model_list', 'key_check', 'request'] as const;
const CHECK_BOUNDS = { limitBytes: 64 * 1024 };
/** Short, because a person waits for the answer. */
const LONGEST_REQUEST_MS = 20_000;

export interface ProbeInput extends ProbedChannel {
  /** Whether the caller has named the models; otherwise the channel's own models are ignored. */
  readonly namesModels: boolean;
}

export interface ProbeResult {
  /** The way the key was tested; `null` if nothing could be tested without a cost, so that the key may be valid or not. */
  readonly checkedBy: (typeof CHECKED_BY)[number] | null;
  readonly failure: { readonly failure: Failure; readonly address: string } | null;
  /** Whether `models` are those that the provider lists; otherwise they are those that the catalog has for it. */
  readonly isListed: boolean;
  /** Whether the provider lists more models than these. */
  readonly isCut: boolean;
  readonly models: readonly ReachableModel[];
  readonly server: RecognizedServer;
  readonly latencyMs: number;
}

interface Ports {
  readonly upstream: Upstream;
  readonly clock: Clock;
}

type Verdict = Pick<ProbeResult, 'checkedBy' | 'failure'>;

/**
 * Tests a key with the channel that is going to use it: by the provider's list of models or its key check, which cost nothing, else by one
 * small request to a chat model. Writes nothing. Never throws.
 */
export async function probeChannel({ upstream, clock }: Ports, input: ProbeInput): Promise<ProbeResult> {
  const startedMs = clock.monotonicMs();
  const parts = channelParts(input.channel, input.manifest);
  const listed = await listedIds(upstream, parts);
  const latency = () => Math.round(clock.monotonicMs() - startedMs);
  if ('failure' in listed) {
    const failure = { failure: listed.failure, address: withoutSecrets(listed.address) };
    const nothing = { isListed: false, isCut: false, models: [], server: UNKNOWN_SERVER };
    return { checkedBy: 'model_list', failure, ...nothing, latencyMs: latency() };
  }
  const models = describedModels(input, listed.ids);
  const server = await serverOf(upstream, input.channel, input.manifest);
  const isListed = listed.ids !== null;
  const isProof = isListed && input.manifest.modelList?.isOpen !== true;
  const verdict: Verdict = isProof
    ? { checkedBy: 'model_list', failure: null }
    : ((await keyCheck(upstream, parts)) ?? (await smallRequest({ upstream, clock }, input, models)));
  return { ...verdict, isListed, isCut: listed.isCut, models, server, latencyMs: latency() };
}

/** Resolves to the result of the provider's key check, or `null` if it has none. */
async function keyCheck(upstream: Upstream, parts: ChannelParts): Promise<Verdict | null> {
  const { keyCheck: check } = parts.manifest;
  const question = check === undefined ? null : makeQuestion(parts, check);
  if (question === null) return null;
  // Only the status matters; the rest is read so that the connection can be reused.
  const answer = await askChannel(upstream, question, async (body) => {
    await body.readAll(CHECK_BOUNDS);
    return null;
  });
  if (!(answer instanceof Failure)) return { checkedBy: 'key_check', failure: null };
  if (isNotThere(answer)) return null;
  return { checkedBy: 'key_check', failure: { failure: answer, address: withoutSecrets(question.url) } };
}

async function smallRequest(ports: Ports, input: ProbeInput, models: readonly ReachableModel[]): Promise<Verdict> {
  const { channel, manifest, modelFacts, declared } = input;
  const offered = models.filter(({ isKnown }) => isKnown);
  const known =
    offered.find(({ model }) => servesChat(model)) ?? offered.find(({ model }) => model.operations.includes('search'));
  const served = input.namesModels ? channel.models : known && { [known.id]: known.id };
  const untested = { checkedBy: null, failure: null };
  if (served === undefined) return untested;
  const modelOf = (id: string) => modelFacts.resolve(id, channel, declared.get(id));
  const test = await testChannel(ports, {
    ...{ channel: { ...channel, models: served }, manifest, modelOf, modelFacts },
    ...{ modelId: null, stream: false, totalMs: LONGEST_REQUEST_MS },
  });
  // None of the named models is for chat or search.
  if (test instanceof Failure) return untested;
  const last = test.tries.at(-1);
  const failure = last?.result instanceof Failure ? { failure: last.result, address: last.address } : null;
  return { checkedBy: 'request', failure };
}
