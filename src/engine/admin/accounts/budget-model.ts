import type { Directory } from '../../directory/directory.ts';
import { AdminError } from '../admin-error.ts';
import { field, text } from '../schema/unchecked.ts';

interface BudgetModelCheck {
  /** The directory in force; absent where none is loaded. */
  readonly directory: (() => Directory) | undefined;
  readonly accountId: string;
  /** Whether the model may be hidden from clients, as operators may decide for an account. */
  readonly mayBeHidden: boolean;
}

/**
 * Throws an `AdminError` if the input names a cheaper model for its budget that the account cannot use, or a virtual one, whose rules would be
 * passed over. Ignores input of another form, which the schema refuses.
 */
export function refuseBudgetModel({ directory, accountId, mayBeHidden }: BudgetModelCheck, input: unknown): void {
  const modelId = text(field(field(input, 'budget'), 'then'), 'model');
  if (modelId === undefined || directory === undefined) return;
  const current = directory();
  const model = mayBeHidden ? current.servedModel(modelId, accountId) : current.visibleModel(modelId, accountId);
  const path = 'budget.then.model';
  if (model == null)
    throw new AdminError('invalid_value', path, `there is no model "${modelId}" that the account can use`);
  if (model.rules === undefined) return;
  throw new AdminError('invalid_value', path, `"${modelId}" is a virtual model; name a model that its rules lead to`);
}
