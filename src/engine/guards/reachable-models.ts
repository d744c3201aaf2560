import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { fallbacksInHeader } from '../../domain/routing/fallbacks.ts';
import { MemberNames, parseSpan, scanObject } from '../../formats/shared/json/json-scan.ts';
import type { Directory } from '../directory/directory.ts';

/** More models than a request could ever reach. */
const MOST_MODELS = 2_000;

const NAMING = new MemberNames('model', 'models');

/** Returns the models that a JSON body names, in whichever member; `null` if it names none, or cannot be read. */
export function modelsIn(body: Uint8Array): readonly string[] | null {
  const span = scanObject(body, 0, NAMING);
  if (span === null) return null;
  const named: string[] = [];
  for (const { valueStart, valueEnd } of span.members) {
    const value = memberValue(body, valueStart, valueEnd);
    for (const id of Array.isArray(value) ? value : [value]) if (typeof id === 'string' && id !== '') named.push(id);
  }
  return named.length === 0 ? null : named;
}

function memberValue(body: Uint8Array, start: number, end: number): unknown {
  try {
    return parseSpan(body, start, end);
  } catch {
    return null;
  }
}

/**
 * Returns the models that may answer a request: those that it names, where rules lead, the fallbacks of all of them and of the account, and the
 * cheaper models of budgets. The guards of all of them check the request before anything is sent.
 */
export function reachableModels(
  named: readonly string[],
  { directory, principal, header }: { directory: Directory; principal: Principal; header: string | null },
): ReadonlySet<string> {
  const { account, credential } = principal;
  const inHeader = header === null ? [] : fallbacksInHeader(header);
  const open = [...named, ...account.fallbacks, ...(inHeader instanceof Failure ? [] : inHeader)];
  for (const { budget } of [account, credential]) if (budget?.reroute) open.push(budget.reroute.modelId);
  const reached = new Set<string>();
  for (let id = open.pop(); id !== undefined && reached.size < MOST_MODELS; id = open.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    open.push(...directory.declaredFallbacks(id));
    if (directory.virtualModels !== null)
      open.push(...directory.virtualModels.chainOf(id), ...directory.virtualModels.endsOf(id));
  }
  return reached;
}
