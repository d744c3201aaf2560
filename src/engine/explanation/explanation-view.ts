import type { Failure } from '../../domain/failure/failure.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import type { ExplainedTarget, Explanation } from './explanation.ts';

/**
 * Returns an explanation as JSON. Members of an account see only their own channels and no rules, because both name what belongs to the
 * operator or to other accounts.
 */
export function explanationView(explanation: Explanation, { isOperator }: { readonly isOperator: boolean }) {
  const {
    requestedModel,
    modelId,
    format,
    stream,
    examined,
    steps,
    failure,
    fallbacks,
    strategy,
    targets,
    reservation,
  } = explanation;
  const shown = isOperator ? targets : targets.filter(({ target }) => target.isPrivate);
  return {
    object: 'routing_explanation' as const,
    ...{ requested_model: requestedModel, model: modelId, format, stream },
    rules: isOperator ? examined.map(({ modelId: model, rules }) => ({ model, rules: rules.map(numbered) })) : null,
    steps: steps.map(({ kind, from, to, reason }) => ({ kind, from, to, reason })),
    fallbacks: [...fallbacks],
    error: failure && failureView(failure),
    strategy: strategy && { name: strategy.name, from: strategy.from },
    channels: shown.map(targetView),
    shared_channels: targets.filter(({ target }) => !target.isPrivate).length,
    reservation: reservation && {
      most_usd: reservation.nanoUsd === null ? null : formatNanoUsd(reservation.nanoUsd),
      reserved: reservation.isReserved,
    },
  };
}

/** Numbers rules from 1, as people count them. */
function numbered<Rule extends { readonly rule: number }>({ rule, ...rest }: Rule) {
  return { number: rule + 1, ...rest };
}

function failureView({ code, message, details: { param, hint, kind } }: Failure) {
  return { code, kind: kind ?? null, message, param: param ?? null, hint: hint ?? null };
}

function targetView(explained: ExplainedTarget) {
  const { target, position, reasons, isRelayed, losses, problem, state, availableInMs, load, affinity, score } =
    explained;
  const { channel, wire, upstreamModel, isPrivate, priority, weight } = target;
  return {
    ...{ channel: channel.id, name: channel.name, provider: channel.provider, private: isPrivate },
    upstream_key: channel.upstreamKey?.name ?? null,
    ...{ format: wire.name, upstream_model: upstreamModel, position, reasons: [...reasons] },
    lane: isRelayed === null ? null : isRelayed ? ('relay' as const) : ('translate' as const),
    losses: losses.map(({ field, verdict, why }) => ({ field, verdict, why })),
    error: problem && failureView(problem),
    ...{ state, available_in_ms: availableInMs === null ? null : Math.ceil(availableInMs) },
    ...{ load, priority, weight, affinity, score },
  };
}
