import type { DeclaredModel, Model } from '../../domain/catalog/model.ts';
import { MOST_RULE_STEPS, type ModelRule } from '../../domain/routing/model-rule.ts';

/** The models that rules lead to. */
interface RuleWays {
  readonly ends: readonly string[];
  /** The virtual models on the way. */
  readonly passed: readonly string[];
}

const NO_WAYS: RuleWays = { ends: [], passed: [] };

/** The declared models with rules. */
export class VirtualModels {
  /** Collected on first use. */
  private readonly ways = new Map<string, RuleWays>();

  private constructor(private readonly rules: ReadonlyMap<string, readonly ModelRule[]>) {}

  /** Returns the virtual models among the declared ones; `null` if there are none. */
  static among(models: readonly Pick<DeclaredModel, 'id' | 'rules'>[]): VirtualModels | null {
    const rules = new Map<string, readonly ModelRule[]>();
    for (const model of models) if (model.rules !== null) rules.set(model.id, model.rules);
    return rules.size === 0 ? null : new VirtualModels(rules);
  }

  ids(): Iterable<string> {
    return this.rules.keys();
  }

  /** Returns the rules of a virtual model; `null` for another model. */
  rulesOf(modelId: string): readonly ModelRule[] | null {
    return this.rules.get(modelId) ?? null;
  }

  /** Returns the virtual models that a request may pass through, from this one on. */
  chainOf(modelId: string): readonly string[] {
    return this.waysOf(modelId).passed;
  }

  /** Returns the models that the rules lead to in the end, each once: that of the default first. Empty for another model. */
  endsOf(modelId: string): readonly string[] {
    return this.waysOf(modelId).ends;
  }

  private waysOf(modelId: string): RuleWays {
    if (!this.rules.has(modelId)) return NO_WAYS;
    let ways = this.ways.get(modelId);
    if (ways === undefined) {
      ways = this.collected(modelId);
      this.ways.set(modelId, ways);
    }
    return ways;
  }

  private collected(modelId: string): RuleWays {
    const ends = new Set<string>();
    const passed = new Set<string>();
    let reached = new Set([modelId]);
    for (let steps = 0; steps <= MOST_RULE_STEPS && reached.size > 0; steps++) {
      const next = new Set<string>();
      for (const from of reached) {
        const rules = this.rulesOf(from);
        (rules === null ? ends : passed).add(from);
        // The default is the last rule.
        for (const { model } of rules?.toReversed() ?? []) (model === from ? ends : next).add(model);
      }
      reached = next;
    }
    return { ends: [...ends], passed: [...passed] };
  }
}

/**
 * Returns a virtual model with the facts that nothing declares taken from the model of its default, and with the smallest limits of all
 * models that its rules lead to: a client that heeds them is within the limits whichever model answers.
 *
 * @param own the virtual model with its declared facts
 * @param ends the known models that its rules lead to, that of the default first
 */
export function withFactsOf(own: Model, declared: DeclaredModel, ends: readonly Model[]): Model {
  const [base] = ends;
  if (base === undefined) return own;
  const { category, ownedBy, pricing, tags, capabilities, operations } = declared;
  const known = base.capabilities;
  return {
    ...own,
    category: category ?? base.category,
    ownedBy: ownedBy ?? base.ownedBy,
    ...(pricing === null && { pricing: base.pricing, priceSource: base.priceSource }),
    tags: tags ?? base.tags,
    capabilities: known && {
      ...known,
      contextTokens: least(ends.map((model) => model.capabilities?.contextTokens)),
      maxOutputTokens: least(ends.map((model) => model.capabilities?.maxOutputTokens)),
      ...capabilities,
    },
    operations: operations ?? base.operations,
    parameters: base.parameters,
  };
}

function least(limits: readonly (number | null | undefined)[]): number | null {
  const known = limits.filter((limit) => limit != null);
  return known.length === 0 ? null : Math.min(...known);
}
