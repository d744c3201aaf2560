import { featuresIn } from './features.ts';
import type { Carries, Feature, Losses } from './loss.ts';
import { hasBudget, hasEffort, isReasoningSwitch } from './reasoning.ts';
import { type ExchangeRequest, emptyRequest, type ReasoningOptions } from './request.ts';

/** A request that says nothing in any of its fields. */
const UNSAID = emptyRequest('', {});

/**
 * The request with nothing in its fields but what the target carries, at least in another way; what it asks for beyond that is
 * noted. The same for every upstream format: an encoder has only to place what it gets. `isOwn`: the client speaks the target's
 * format.
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
  // Each value is that of the same field of another request.
  return lost === null ? request : ({ ...request, ...lost } as ExchangeRequest);
}

/** A choice is one among tools: APIs refuse it where there are none. A stored prompt of the client's own format may have some. */
function withChoiceOfTools(request: ExchangeRequest, losses: Losses): ExchangeRequest {
  if (request.toolChoice === null || request.tools.length > 0) return request;
  for (const { key, field, isUsual } of featuresIn(request)) {
    if (key === 'toolChoice' && !isUsual) losses.note({ field, verdict: 'dropped', why: 'there are no tools' });
  }
  return { ...request, toolChoice: null };
}

// ---- reasoning

/**
 * What is left of how much the model is to think where a target does not carry a feature of it. Who measured thinking has asked
 * for it, so without the measure it is switched on; and a switch is lost only where no measure is carried either, as at a model
 * that does not think: most APIs switch thinking by the same member that measures it.
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
    // Where nothing is thought nothing is shown.
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

/** A measure that is told as the other one is carried as far as that one is. */
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

/** With nothing but how thoughts are to be shown, where that was said. */
function unasked(options: ReasoningOptions): ReasoningOptions | null {
  return orNull({ ...options, enabled: null, effort: null, budgetTokens: null, adaptive: false });
}

function orNull(options: ReasoningOptions): ReasoningOptions | null {
  const saysSome = options.summary !== null || hasBudget(options) || hasEffort(options) || isReasoningSwitch(options);
  return saysSome ? options : null;
}
