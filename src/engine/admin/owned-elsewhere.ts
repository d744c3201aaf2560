import type { Origin } from '../../domain/catalog/model.ts';
import { DeclaredError } from './admin-error.ts';

/**
 * Two truths must not fight: what a configuration file declares is changed there, since the next start would write over any
 * other change. Throws `DeclaredError`.
 */
export function refuseDeclared(what: string, { id, origin }: { readonly id: string; readonly origin: Origin }): void {
  if (origin !== 'config') return;
  throw new DeclaredError(
    'conflict',
    what,
    `"${id}" is declared in the configuration file: change it there, and run "switchyard apply"`,
  );
}
