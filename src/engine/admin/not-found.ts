import { suggestModels } from '../../domain/catalog/suggest.ts';
import { AdminError } from './admin-error.ts';

/** Says that there is no `what` with this id, and which id was probably meant. */
export function notFound(what: string, id: string, known: readonly { readonly id: string }[]): AdminError {
  const ids = known.map((object) => object.id);
  const [guess] = suggestModels(id, ids, 1);
  const hint = guess === undefined ? '' : ` (did you mean "${guess}"?)`;
  return new AdminError('not_found', what, `there is no ${what} "${id.slice(0, 100)}"${hint}`);
}
