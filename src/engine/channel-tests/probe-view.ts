import type { Channel } from '../../domain/catalog/channel.ts';
import { serverView } from '../servers/server-view.ts';
import type { ProbeInput, ProbeResult } from './probe-channel.ts';
import type { ProbedChannel, ReachableModel } from './reachable-models.ts';
import { failedTestView } from './test-view.ts';

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
