import { sleep } from '../../system.ts';
import { type Finding, warn } from './finding.ts';

/** Resolves to the result of a check, or to `null` if it takes too long and is abandoned. */
export async function bounded<Result>(limitMs: number, check: Promise<Result>): Promise<Result | null> {
  const ended = new AbortController();
  const late = sleep(limitMs, ended.signal).then(() => null);
  try {
    return await Promise.race([check, late]);
  } finally {
    ended.abort();
  }
}

export function notInTime(subject: string, limitMs: number): Finding {
  return warn(subject, `not checked: no result within ${Math.ceil(limitMs / 1000)} s. Run the command again`);
}
