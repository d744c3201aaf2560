import type { Channel } from '../../domain/catalog/channel.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { servesChat } from '../../domain/catalog/model-operation.ts';
import { suggestModels } from '../../domain/catalog/suggest.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { searchWires, upstreamFormats } from '../../formats/index.ts';
import { entryOf } from '../../formats/shared/json/record.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import { AttemptLoop, type LoopPorts } from '../call/attempt-loop.ts';
import { OtherWires } from '../call/other-wires.ts';
import { ResponseMemory } from '../call/response-memory.ts';
import { formatsOf } from '../directory/channel-in-use.ts';
import type { ModelFacts } from '../directory/model-facts.ts';
import { chooseRuleModel } from '../directory/rule-model.ts';
import {
  channelParts,
  makeTarget,
  makeTextTarget,
  type Target,
  type TextTarget,
  targetFor,
} from '../directory/target.ts';
import type { Clock } from '../ports/clock.ts';
import type { Upstream, WaitingClient } from '../ports/upstream.ts';
import { DEFAULT_ROUTING } from '../settings/settings.ts';
import { SearchTestJob } from './search-test-job.ts';
import { type ChannelTry, TestJob } from './test-job.ts';

/** A name that is no client format, so that every upstream format encodes the request itself. */
const CLIENT = 'channel-test';
/** Ten times the size at which a test stops reading an answer. */
const MAX_HELD_BYTES = 40 * 1024 * 1024;
/** The default time limit. A person waits at a terminal, so the channel's own limit counts only if it is shorter. */
const USUAL_TOTAL_MS = 60_000;

export interface ChannelTestInput {
  readonly channel: Channel;
  readonly manifest: ProviderManifest;
  /** Looks up a model of the channel, to find out which ones are chat models. */
  readonly modelOf: (modelId: string) => Model;
  /** The facts by which the rules for the upstream's model are chosen. */
  readonly modelFacts: ModelFacts;
  /** The public id of the model; `null` for the channel's first chat model, or its first search model. */
  readonly modelId: string | null;
  readonly stream: boolean;
  /** The time limit of the whole request; `null` for a minute, or the channel's own limit if that is shorter. */
  readonly totalMs: number | null;
}

export interface ChannelTestPorts {
  readonly upstream: Upstream;
  readonly clock: Clock;
}

export interface ChannelTest {
  readonly modelId: string;
  readonly upstreamModel: string;
  /** The requests that were sent, in order; never empty. The last one is the result of the test. */
  readonly tries: readonly ChannelTry[];
}

/**
 * Sends one small real request to a channel, even if the channel is not in use, in the first of its formats that has an
 * address. If the address does not serve that format, the test continues with the channel's next format, as the gateway
 * would. Returns a `Failure` if no request can be sent; a failure of the upstream is in the result of its try.
 */
export async function testChannel(ports: ChannelTestPorts, input: ChannelTestInput): Promise<ChannelTest | Failure> {
  const modelId = chosenModel(input);
  if (modelId instanceof Failure) return modelId;
  const upstreamModel = entryOf(input.channel.models, modelId) ?? modelId;
  if (searches(input.modelOf(modelId))) return testSearch(ports, input, { modelId, upstreamModel });
  const targets = targetsOf(input, modelId, upstreamModel);
  const preferred = targetFor(CLIENT, targets) ?? targets[0];
  if (preferred === undefined) {
    return untestable(`The channel \`${input.channel.id}\` has no address and format for \`${upstreamModel}\`.`);
  }
  const target = {
    ...withinTime(preferred, input),
    alternatives: preferred.alternatives.map((one) => withinTime(one, input)),
  };
  const job = new TestJob(ports.clock, input.stream);
  const loop = new AttemptLoop(loopPorts(ports, 1 + target.alternatives.length), {
    ...{ job, outcome: job, accountId: CLIENT, client: nobody(), buffered: testMemory() },
    ...{ targets: [target], otherWires: new OtherWires() },
  });
  const result = await loop.run();
  if ('answer' in result) await job.read(result);
  return { modelId, upstreamModel, tries: job.tries };
}

/** Sends one search to a channel of a search provider. */
async function testSearch(
  ports: ChannelTestPorts,
  input: ChannelTestInput,
  { modelId, upstreamModel }: Pick<ChannelTest, 'modelId' | 'upstreamModel'>,
): Promise<ChannelTest | Failure> {
  const { channel, manifest, modelFacts } = input;
  const parts = channelParts(channel, manifest);
  const ruleModel = chooseRuleModel(modelFacts, manifest, modelId, upstreamModel);
  const [target] = (manifest.wires ?? []).flatMap((provided) => {
    const wire = searchWires.get(provided.wire);
    if (wire === undefined || provided.models?.test(ruleModel) === false) return [];
    return makeTarget(parts, provided, wire, { publicId: modelId, upstreamModel, ruleModel }) ?? [];
  });
  if (target === undefined) return untestable(`The channel \`${channel.id}\` has no address for \`${upstreamModel}\`.`);
  const job = new SearchTestJob(ports);
  const loop = new AttemptLoop<Target, never>(loopPorts(ports, 1), {
    ...{ job, outcome: job, accountId: CLIENT, client: nobody(), buffered: testMemory() },
    ...{ targets: [withinTime(target, input)], otherWires: new OtherWires() },
  });
  const result = await loop.run();
  if ('answer' in result) result.running.abandoned();
  return { modelId, upstreamModel, tries: job.tries };
}

function testMemory() {
  return new ResponseMemory({ maxHeldBytes: MAX_HELD_BYTES }).open(CLIENT, () => undefined);
}

function searches({ operations }: Pick<Model, 'operations'>): boolean {
  return operations.includes('search');
}

function withinTime<T extends Target>(target: T, { stream, totalMs }: ChannelTestInput): T {
  const timeouts = target.timeouts[stream ? 'stream' : 'whole'];
  const bounded = { ...timeouts, totalMs: Math.min(timeouts.totalMs, totalMs ?? USUAL_TOTAL_MS) };
  return { ...target, timeouts: { whole: bounded, stream: bounded } };
}

/** Returns the ports of a loop that changes nothing in routing and metrics, and does not wait before a retry. */
function loopPorts({ upstream, clock }: ChannelTestPorts, maxAttempts: number): LoopPorts {
  const nothing = () => undefined;
  return {
    upstream,
    clock,
    metrics: {
      ...{ requestStarted: nothing, requestFinished: nothing, requestHandedOver: nothing, attemptFinished: nothing },
      keyRefused: nothing,
      chargeHeld: nothing,
    },
    suspectChannel: nothing,
    probeChannel: nothing,
    random: () => 0,
    sleep: async () => undefined,
    routing: { ...DEFAULT_ROUTING, maxAttempts, deadlineMs: Number.POSITIVE_INFINITY },
  };
}

function untestable(message: string): Failure {
  return new Failure('invalid_value', { message });
}

function chosenModel({ channel, modelOf, modelId }: ChannelTestInput): string | Failure {
  const served = Object.keys(channel.models);
  if (modelId === null) {
    const first = served.find((id) => servesChat(modelOf(id))) ?? served.find((id) => searches(modelOf(id)));
    const why = 'only models for chat and search can be tested';
    return first ?? untestable(`The channel \`${channel.id}\` serves no chat model and no search model; ${why}.`);
  }
  if (!served.includes(modelId)) {
    const [guess] = suggestModels(modelId, served, 1);
    const hint = guess === undefined ? '' : ` Did you mean \`${guess}\`?`;
    return untestable(`The channel \`${channel.id}\` does not serve \`${modelId.slice(0, 256)}\`.${hint}`);
  }
  const model = modelOf(modelId);
  if (servesChat(model) || searches(model)) return modelId;
  return untestable(`\`${modelId}\` is a model for ${model.category}; only models for chat and search can be tested.`);
}

function targetsOf(
  { channel, manifest, modelFacts }: ChannelTestInput,
  modelId: string,
  upstreamModel: string,
): readonly TextTarget[] {
  const parts = channelParts(channel, manifest);
  const ruleModel = chooseRuleModel(modelFacts, manifest, modelId, upstreamModel);
  return formatsOf(channel, manifest).flatMap((provided) => {
    const upstream = upstreamFormats.get(provided.format);
    if (!upstream || provided.models?.test(ruleModel) === false) return [];
    return makeTextTarget(parts, provided, upstream, { publicId: modelId, upstreamModel, ruleModel }) ?? [];
  });
}

/** Returns a client that never disconnects: the person at the terminal ends the process instead. */
function nobody(): WaitingClient {
  return { signal: new AbortController().signal };
}

/** Limits how many tests of channels run at once: each waits for an upstream, and the owner of the key pays for it. */
export class ChannelTestSlots {
  private running = 0;
  private readonly byAccount = new Map<string, number>();

  constructor(private readonly most: { readonly all: number; readonly perAccount: number }) {}

  /**
   * Takes a slot and returns a function that releases it, or `null` if all are taken. Operators' tests of platform channels share one
   * account's limit.
   */
  take(accountId: string | null): (() => void) | null {
    const key = accountId ?? '';
    const own = this.byAccount.get(key) ?? 0;
    if (this.running >= this.most.all || own >= this.most.perAccount) return null;
    this.running += 1;
    this.byAccount.set(key, own + 1);
    return () => {
      this.running -= 1;
      const left = (this.byAccount.get(key) ?? 1) - 1;
      if (left > 0) this.byAccount.set(key, left);
      else this.byAccount.delete(key);
    };
  }
}
