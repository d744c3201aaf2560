import type { Principal } from '../../domain/access/principal.ts';
import type { DeclaredModel } from '../../domain/catalog/model.ts';
import { type Guard, NO_GUARDS } from '../../domain/guards/guard.ts';
import { GuardRules } from '../../domain/guards/guard-rules.ts';

/** A guard with its compiled rules. */
export interface CompiledGuard {
  readonly guard: Guard;
  readonly rules: GuardRules;
}

/** The rules of guards compiled earlier, so that a change of a model does not compile all patterns again. */
const compiled = new WeakMap<Guard, CompiledGuard>();

/** The guards of a directory, and the models that have some. */
export class GuardsInForce {
  private readonly guards: ReadonlyMap<string, Guard>;
  /** The ids of guards by model; `null` if no model has any. */
  private readonly models: ReadonlyMap<string, readonly string[]> | null;
  private readonly ofAllModels: readonly string[];

  private constructor(guards: readonly Guard[], models: readonly Pick<DeclaredModel, 'id' | 'guards'>[]) {
    this.guards = new Map(guards.map((guard) => [guard.id, guard]));
    const guarded = models.flatMap(({ id, guards: ids = NO_GUARDS }) => (ids.length > 0 ? [[id, ids] as const] : []));
    this.models = guarded.length === 0 ? null : new Map(guarded);
    this.ofAllModels = [...new Set(guarded.flatMap(([, ids]) => ids))];
  }

  /** Returns the guards of a directory; `null` if there are none and no model names one. */
  static among(
    guards: readonly Guard[],
    models: readonly Pick<DeclaredModel, 'id' | 'guards'>[],
  ): GuardsInForce | null {
    const inForce = new GuardsInForce(guards, models);
    return guards.length === 0 && inForce.models === null ? null : inForce;
  }

  get hasModels(): boolean {
    return this.models !== null;
  }

  /** Returns the ids of the guards of a model. */
  ofModel(modelId: string): readonly string[] {
    return this.models?.get(modelId) ?? NO_GUARDS;
  }

  /** The ids of the guards of all models, for a request whose model is not known. */
  get ofAnyModel(): readonly string[] {
    return this.ofAllModels;
  }

  /** Returns a guard, compiled when it is first used; `null` if it does not exist. */
  find(id: string): CompiledGuard | null {
    const guard = this.guards.get(id);
    if (guard === undefined) return null;
    let known = compiled.get(guard);
    if (known === undefined) {
      known = { guard, rules: new GuardRules(guard) };
      compiled.set(guard, known);
    }
    return known;
  }
}

/** Returns whether guards may apply to requests of this caller. */
export function mayBeGuarded(guards: GuardsInForce | null, { account, credential }: Principal): boolean {
  if (account.guards !== undefined || credential.guards !== undefined) return true;
  return guards?.hasModels === true;
}

/** Returns the ids of the guards of an account and its key, in the order in which they apply. */
export function ownGuards({ account, credential }: Principal): readonly string[] {
  const { guards = NO_GUARDS } = account;
  return credential.guards === undefined ? guards : [...guards, ...credential.guards];
}
