import { suggestModels } from '../../domain/catalog/suggest.ts';
import { isSecretLike } from '../access/secrets.ts';
import { AdminError } from './admin-error.ts';

/** Returns an error which says that no `what` has this id, and which id was probably meant. */
export function notFound(what: string, id: string, known: readonly { readonly id: string }[]): AdminError {
  const ids = known.map((object) => object.id);
  const [guess] = suggestModels(id, ids, 1);
  const hint = guess === undefined ? '' : ` (did you mean "${guess}"?)`;
  // A secret given as an id may be valid elsewhere, so it is not repeated.
  const named = isSecretLike(id) ? 'with this id, which looks like a secret' : `"${id.slice(0, 100)}"`;
  return new AdminError('not_found', what, `there is no ${what} ${named}${hint}`);
}
