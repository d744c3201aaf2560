import { effortOfBudget } from '../../../domain/exchange/reasoning.ts';
import { EFFORTS } from '../../../domain/exchange/request.ts';
import type { RuleEffort } from '../../../domain/routing/model-rule.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * Returns the reasoning effort that a body of any text format asks for; `unset` if it leaves the effort to the model. A number of tokens
 * counts as the effort of this size.
 */
export function statedEffort(body: Body): RuleEffort {
  const named = namedEffort(body);
  if (named !== null) return named;
  const thinking = recordOf(body.thinking);
  if (thinking.type === 'disabled') return 'none';
  const config = recordOf(body.generationConfig ?? body.generation_config);
  const inner = recordOf(config.thinkingConfig ?? config.thinking_config);
  const { max_tokens: tokens } = recordOf(body.reasoning);
  const budgets = [thinking.budget_tokens, inner.thinkingBudget ?? inner.thinking_budget, tokens];
  const budget = budgets.find((value) => typeof value === 'number' && value >= 0);
  return typeof budget === 'number' ? effortOfBudget(budget) : 'unset';
}

/** Returns the effort that a body names: in Chat, in Responses and OpenRouter's dialect, in Messages, or in Gemini's format. */
function namedEffort(body: Body): RuleEffort | null {
  const config = recordOf(body.generationConfig ?? body.generation_config);
  const inner = recordOf(config.thinkingConfig ?? config.thinking_config);
  const { effort, enabled } = recordOf(body.reasoning);
  const level = inner.thinkingLevel ?? inner.thinking_level;
  for (const value of [body.reasoning_effort, effort, recordOf(body.output_config).effort, level]) {
    const text = typeof value === 'string' ? value.toLowerCase() : null;
    const known = EFFORTS.find((one) => one === text);
    if (known !== undefined) return known;
  }
  return enabled === false ? 'none' : null;
}

function recordOf(value: unknown): Body {
  return isRecord(value) ? value : {};
}
