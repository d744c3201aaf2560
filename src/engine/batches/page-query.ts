import { Failure } from '../../domain/failure/failure.ts';

/** The bounds of a list. */
export interface PageQuery {
  readonly limit: number;
  /** The id of the last object of the previous page; `null` for the first page. */
  readonly after: string | null;
  readonly isAscending: boolean;
}

export interface PageRules {
  readonly usual: number;
  readonly most: number;
  /** The largest page that is returned, if clients may ask for more. */
  readonly longest?: number;
}

/** Reads `limit`, `after` and `order` as OpenAI's lists have them. */
export function pageQuery(query: URLSearchParams, { usual, most, longest = most }: PageRules): PageQuery | Failure {
  const limit = query.get('limit') ?? String(usual);
  if (!/^\d{1,6}$/.test(limit) || Number(limit) < 1 || Number(limit) > most) {
    return wrong('limit', `must be a whole number from 1 to ${most}`);
  }
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') return wrong('order', 'must be `asc` or `desc`');
  const after = query.get('after');
  return { limit: Math.min(Number(limit), longest), after: after === '' ? null : after, isAscending: order === 'asc' };
}

/** Returns the failure for an unknown place in a list. */
export function unknownPlace(param: string, id: string): Failure {
  return new Failure('invalid_value', {
    message: `\`${param}\` names \`${id.slice(0, 100)}\`, which is not in the list.`,
    param,
    hint: `Start again at the first page, without \`${param}\`.`,
  });
}

/** Returns the failure for a parameter. */
export function wrong(param: string, rule: string): Failure {
  return new Failure('invalid_value', { message: `\`${param}\` ${rule}.`, param });
}
