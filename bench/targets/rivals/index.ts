import { bifrost } from './bifrost.ts';
import { litellm } from './litellm.ts';
import { newApi } from './new-api.ts';
import { oneApi } from './one-api.ts';
import { portkey } from './portkey.ts';
import type { Rival } from './rival.ts';
import { tensorZero } from './tensorzero.ts';

/** Every gateway that `--rivals` looks for. */
export const rivals: readonly Rival[] = [litellm, portkey, oneApi, newApi, bifrost, tensorZero];

/** Returns the named rivals in the list's order, all if there are no names; throws an Error with a readable message for a misspelt one. */
export function chooseRivals(names: readonly string[]): readonly Rival[] {
  const unknown = names.filter((name) => !rivals.some((rival) => rival.name === name));
  if (unknown.length > 0) {
    throw new Error(`unknown rival ${unknown.join(', ')}; use ${rivals.map((rival) => rival.name).join(', ')}`);
  }
  return names.length === 0 ? rivals : rivals.filter((rival) => names.includes(rival.name));
}
