import { featuresIn } from './features.ts';
import type { Carries, Feature, Losses } from './loss.ts';
import { hasBudget, hasEffort, isReasoningSwitch } from './reasoning.ts';
import { type ExchangeRequest, emptyRequest, type ReasoningOptions } from './request.ts';

/** A request with no field set. */
const UNSAID = emptyRequest('', {});

/**
 * Returns the request with only the fields that the target carries, at least approximately; anything else is noted as a loss.
 * This is the same for every upstream format, so an encoder only has to place what it gets. `isOwn`: the client speaks the
 * target's format.
 */
export function carriedRequest(asked: ExchangeRequest, losses: Losses, isOwn: boolean): ExchangeRequest {
  const request = isOwn ? asked : withChoiceOfTools(asked, losses);
  let lost: Partial<Record<keyof ExchangeRequest, unknown>> | null = null;
  let { reasoning } = request;
  for (const { feature, key, field, isUsual } of featuresIn(request, losses.carries)) {
    if (key === 'reasoning') {
      reasoning = withReasoning(feature, field, reasoning, losses);
      continue;
    }
    if (!isUsual && losses.carry(feature, field)) continue;
    lost ??= {};
    lost[key] = UNSAID[key];
  }
  if (reasoning !== request.reasoning) lost = { ...lost, reasoning };
  // Each value belongs to the same field of another request.
  return lost === null ? request : ({ ...request, ...lost } as ExchangeRequest);
}

/** Drops a tool choice without tools, which APIs refuse. A stored prompt in the client's own format may have tools. */
function withChoiceOfTools(request: ExchangeRequest, losses: Losses): ExchangeRequest {
  if (request.toolChoice === null || request.tools.length > 0) return request;
  for (const { key, field, isUsual } of featuresIn(request)) {
    if (key === 'toolChoice' && !isUsual) losses.note({ field, verdict: 'dropped', why: 'the request has no tools' });
  }
  return { ...request, toolChoice: null };
}

// ---- reasoning

/**
 * Returns the reasoning options for a target that lacks one of their features. A client that set an amount has asked for
 * thinking, so without the amount it is switched on. A switch is lost only if no amount is carried either, as for a model that
 * does not think: most APIs use the same member for the switch and the amount.
 */
function withReasoning(
  feature: Feature,
  field: string,
  options: ReasoningOptions | null,
  losses: Losses,
): ReasoningOptions | null {
  if (options === null) return null;
  const mayThink = carriesSome(losses.carries, 'reasoning-effort') || carriesSome(losses.carries, 'reasoning-budget');
  if (feature === 'reasoning-summary') {
    // Without thoughts there is nothing to hide.
    const isDone = !mayThink && options.summary === 'none';
    return !isDone && losses.carry(feature, field) ? options : orNull({ ...options, summary: null });
  }
  if (isReasoningSwitch(options)) {
    if (mayThink) return options;
    losses.carry(feature, field);
    return unasked(options);
  }
  if (carryMeasure(feature, field, losses)) return options;
  const left = { ...options, ...(feature === 'reasoning-budget' ? { budgetTokens: null } : { effort: null }) };
  if (hasBudget(left) || hasEffort(left)) return left;
  return mayThink ? { ...left, enabled: left.adaptive ? left.enabled : true } : unasked(left);
}

/** Returns whether an amount is carried: one that is sent as the other kind is carried as well as that kind is. */
function carryMeasure(feature: Feature, field: string, losses: Losses): boolean {
  const other = losses.carries[feature === 'reasoning-budget' ? 'reasoning-effort' : 'reasoning-budget'];
  const isByOther = !losses.isExact(feature) && carriesSome(losses.carries, feature);
  if (!isByOther || other === 'exact' || other.verdict === 'approximated') return losses.carry(feature, field);
  losses.note({ field, verdict: other.verdict, why: other.why });
  return false;
}

function carriesSome(carries: Carries, feature: Feature): boolean {
  const carriage = carries[feature];
  return carriage === 'exact' || carriage.verdict === 'approximated';
}

/** Returns only the setting for showing thoughts, if it was given. */
function unasked(options: ReasoningOptions): ReasoningOptions | null {
  return orNull({ ...options, enabled: null, effort: null, budgetTokens: null, adaptive: false });
}

function orNull(options: ReasoningOptions): ReasoningOptions | null {
  const saysSome = options.summary !== null || hasBudget(options) || hasEffort(options) || isReasoningSwitch(options);
  return saysSome ? options : null;
}
