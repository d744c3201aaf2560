import type { Origin } from '../../domain/catalog/model.ts';
import { DeclaredError } from './admin-error.ts';

/**
 * Throws `DeclaredError` for an object that a configuration file declares. It has to be changed there, since the next start would overwrite
 * any other change.
 */
export function refuseDeclared(what: string, { id, origin }: { readonly id: string; readonly origin: Origin }): void {
  if (origin !== 'config') return;
  throw new DeclaredError(
    'conflict',
    what,
    `"${id}" is declared in the configuration file: change it there, and run "switchyard apply"`,
  );
}
