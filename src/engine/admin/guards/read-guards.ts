import type { Guard } from '../../../domain/guards/guard.ts';
import { CATALOG_ONLY, type DirectoryStore } from '../../ports/directory-store.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { shownGuardFields } from '../schema/guard.ts';
import { isoTime, managedBy } from '../view-fields.ts';
import { guardNotFound } from './change-guards.ts';

/** Resolves to a page of guards, by id. */
export async function listGuards(store: DirectoryStore, request: PageRequest): Promise<Page<Guard>> {
  const { guards = [] } = await store.read(CATALOG_ONLY);
  const [after = ''] = placeAfter(request, 1) ?? [];
  const limit = limitOf(request);
  const rest = guards.filter(({ id }) => id > after);
  return pageOf(rest.slice(0, limit + 1), limit, ({ id }) => [id]);
}

/** Throws `AdminError` if it does not exist. */
export async function showGuard(store: DirectoryStore, id: string): Promise<Guard> {
  const { guards = [] } = await store.read(CATALOG_ONLY);
  return guards.find((guard) => guard.id === id) ?? guardNotFound(id);
}

export function guardView(guard: Guard) {
  return {
    object: 'guard' as const,
    ...shownGuardFields(guard),
    managed_by: managedBy(guard.origin),
    created_at: isoTime(guard.createdAtMs),
  };
}

/** Returns a guard as members of an account see it: they can add it to their keys, and do not learn its rules. */
export function namedGuardView({ id, name, stages }: Guard) {
  return { object: 'guard' as const, id, name, stages };
}
