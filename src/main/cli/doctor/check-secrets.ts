import type { Configuration } from '../../../engine/admin/configuration/configuration.ts';
import { type Finding, warn } from './finding.ts';

const PLACEHOLDER =
  /change[-_ ]?(?:me|this|it)|place[-_ ]?holder|^your[-_ ]|[-_ ]your[-_ ]|example|password|^secret|^test[-_ ]|^dummy|^x{4,}|^<.*>$|0123456789|123456/i;
/** Random text of the shortest allowed length has more. */
const FEWEST_CHARACTERS = 8;

/** Returns whether a secret was probably copied from documentation, or typed, instead of generated. */
export function isWeak(secret: string): boolean {
  return PLACEHOLDER.test(secret) || new Set(secret).size < FEWEST_CHARACTERS;
}

/** Warns of secrets that can be guessed. No finding contains any part of one. */
export function checkSecrets(secret: string | null, configuration: Configuration | null): readonly Finding[] {
  const found: Finding[] = [];
  if (secret !== null && isWeak(secret)) {
    found.push(
      warn(
        'master secret',
        'looks like a placeholder or a word, and can be guessed: replace it with "switchyard secret rotate" and a secret of "switchyard secret generate"',
      ),
    );
  }
  const token = configuration?.server.metricsToken ?? null;
  if (token !== null && isWeak(token)) {
    found.push(
      warn(
        'metrics token',
        'server.metrics_token can be guessed: set it to the output of "switchyard secret generate"',
      ),
    );
  }
  for (const { id, apiKey, apiKeys } of configuration?.channels ?? []) {
    const keys = [
      ['api_key', apiKey] as const,
      ...(apiKeys ?? []).map(({ name, key }) => [`key ${name}`, key] as const),
    ];
    for (const [what, key] of keys) {
      if (key === null || !PLACEHOLDER.test(key)) continue;
      found.push(warn(`channel ${id}`, `${what} looks like a placeholder: set it to the key of the provider`));
    }
  }
  return found;
}
