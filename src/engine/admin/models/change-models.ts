import type { DeclaredModel } from '../../../domain/catalog/model.ts';
import type { Providers } from '../../../providers/manifest.ts';
import { changedPricing } from '../../../providers/shared/price-syntax.ts';
import type { Clock } from '../../ports/clock.ts';
import { CATALOG_ONLY, type DirectoryStore, SERVING_ONLY } from '../../ports/directory-store.ts';
import { refuseDeclared } from '../admin-error.ts';
import { CatalogContents } from '../catalog/read-catalog.ts';
import type { ConfiguredModel } from '../configuration/configuration.ts';
import { differences, refuseOther } from '../differences.ts';
import { refuseUnknownGuards } from '../guards/change-guards.ts';
import { checkInput, withChange } from '../schema/check-input.ts';
import { pricingFields } from '../schema/fields.ts';
import { tagProblems } from '../schema/meaning-problems.ts';
import { modelFields, modelFrom, modelSchema } from '../schema/model.ts';
import { type ShownModel, shownModel } from './read-models.ts';
import { refuseRules } from './refuse-rules.ts';

export interface DeclaredNow {
  readonly declared: DeclaredModel;
  /** Whether the model was already declared with the same content, so that nothing was changed. */
  readonly alreadyThere: boolean;
}

/**
 * Declares facts of a public model, such as its status, prices and contract. The catalog provides the facts that are left out. The same
 * declaration sent again changes nothing. Throws `AdminError` for a different declaration of a declared model, or an invalid field.
 *
 * @param input in the form of a configuration's `models`
 */
export async function declareModel(store: DirectoryStore, clock: Clock, input: unknown): Promise<DeclaredNow> {
  const wanted = checkedModel(input);
  return store.write(wanted.rules === null ? CATALOG_ONLY : SERVING_ONLY, (writer) => {
    const rows = writer.read();
    const existing = rows.models.find(({ id }) => id === wanted.id);
    if (existing !== undefined) {
      refuseOther(`declaration of "${existing.id}"`, modelFields(existing), modelFields(wanted));
      return { declared: existing, alreadyThere: true };
    }
    refuseRules(rows, wanted);
    refuseUnknownGuards(rows, wanted);
    const declared: DeclaredModel = { ...wanted, createdAtMs: clock.nowMs(), origin: 'operator' };
    writer.putModel(declared);
    return { declared, alreadyThere: false };
  });
}

export interface ChangedModel {
  readonly declared: DeclaredModel;
  /** The declared fields that have changed; empty if all of them were the same already, so that nothing was written. */
  readonly changed: readonly string[];
}

const FIXED = { id: 'requests refer to the model by it; declare another model' };

/**
 * Changes what is declared of a public model, or declares it for the first time; `null` returns a fact to the catalog. A map of prices
 * changes only the prices that it names (`changedPricing`). Throws `AdminError` for an invalid field, an unknown model, or one that the configuration file declares.
 *
 * @param change in the form of a configuration's `models`
 */
export async function changeModel(
  { store, providers, clock }: { readonly store: DirectoryStore; readonly providers: Providers; readonly clock: Clock },
  id: string,
  change: unknown,
): Promise<ChangedModel> {
  return store.write(SERVING_ONLY, (writer) => {
    const rows = writer.read();
    const known = rows.models.find((model) => model.id === id);
    if (known === undefined) {
      const contents = new CatalogContents(providers, rows);
      if (!contents.has(id)) throw contents.unknownModel(id);
    } else refuseDeclared('model', known);
    const before = known ?? { ...checkedModel({ id }), createdAtMs: clock.nowMs(), origin: 'operator' };
    const whole = withWholePricing(change, () => shownModel(new CatalogContents(providers, rows), id, null), clock);
    const wanted = checkedModel(withChange(modelFields(before), whole, FIXED));
    const changed = differences(modelFields(before), modelFields(wanted));
    if (changed.includes('rules')) refuseRules(rows, wanted);
    refuseUnknownGuards(rows, wanted);
    const declared: DeclaredModel = { ...wanted, createdAtMs: before.createdAtMs, origin: 'operator' };
    if (changed.length > 0) writer.putModel(declared);
    return { declared: changed.length > 0 ? declared : before, changed };
  });
}

/** Returns the change with prices as a whole: those in force, and on top of them the ones that the change names. */
function withWholePricing(change: unknown, shown: () => ShownModel, clock: Clock): unknown {
  if (typeof change !== 'object' || change === null || !('pricing' in change)) return change;
  return { ...change, pricing: changedPricing(pricingFields(shown().model.pricing), change.pricing, clock.nowMs()) };
}

/**
 * Removes everything that is declared of a model, and resolves to whether there was anything to remove. The model stays public while a
 * channel serves it. Throws `AdminError` for a model that the configuration file declares.
 */
export async function removeDeclaration(store: DirectoryStore, id: string): Promise<boolean> {
  return store.write(CATALOG_ONLY, (writer) => {
    const declared = writer.read().models.find((model) => model.id === id);
    if (declared === undefined) return false;
    refuseDeclared('model', declared);
    writer.deleteModel(id);
    return true;
  });
}

function checkedModel(input: unknown): ConfiguredModel {
  return modelFrom(checkInput(modelSchema, ['models', 0], input, (written) => tagProblems(written, [])));
}
