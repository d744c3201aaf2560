import { suggestModels } from '../../domain/catalog/suggest.ts';
import { isSecretLike } from '../access/secrets.ts';
import { AdminError } from './admin-error.ts';

/** Says that there is no `what` with this id, and which id was probably meant. */
export function notFound(what: string, id: string, known: readonly { readonly id: string }[]): AdminError {
  const ids = known.map((object) => object.id);
  const [guess] = suggestModels(id, ids, 1);
  const hint = guess === undefined ? '' : ` (did you mean "${guess}"?)`;
  // A secret in the place of an id may be valid elsewhere.
  const named = isSecretLike(id) ? 'of this id, which looks like a secret' : `"${id.slice(0, 100)}"`;
  return new AdminError('not_found', what, `there is no ${what} ${named}${hint}`);
}
