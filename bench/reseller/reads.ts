import { accountId } from './fill.ts';

/** The requested accounts: none, one with very many requests, and one with few. */
const OPERATOR = '';
const DAY_MS = 86_400_000;

/** Routes that are not lists or sums: endless streams, files, reads for people only, and reads of the whole ledger. */
const LEFT_OUT = [
  '/requests/live',
  '/requests/export',
  '/ledger/export',
  '/statements/export',
  '/audit/export',
  '/me',
  '/sessions',
  '/sign-in-options',
  '/ledger/verify',
];

/** Returns further queries of some paths, which lead to other statements or more rows. */
function queriesOf(path: string, accounts: number): readonly string[] {
  const month = new Date(Date.now() - DAY_MS).toISOString().slice(0, 7);
  const week = `from=${new Date(Math.floor(Date.now() / 60_000) * 60_000 - 7 * DAY_MS).toISOString()}`;
  const queries: Readonly<Record<string, readonly string[]>> = {
    '/accounts': ['limit=1000', 'figures=true', 'q=customer+49', 'state=archived'],
    '/audit': ['action=key.update', 'actor=user-7'],
    '/keys': ['limit=1000'],
    '/ledger': ['kind=grant', 'limit=1000'],
    '/requests': [
      'status=503',
      'model=model-3',
      'key=key-0-1',
      'min_latency_ms=1990',
      'tag=team%3Dteam-0',
      'limit=1000',
    ],
    '/statements': ['limit=24'],
    [`/statements/${month}`]: ['time_zone=Asia/Kolkata'],
    '/tasks': ['kind=video', 'open=true'],
    '/usage': [
      ...['model', 'channel', 'status', 'key', 'account', 'account,model', 'tag:team'].map(
        (group) => `group_by=${group}`,
      ),
      ...[
        'bucket=day',
        'bucket=hour',
        'bucket=day&group_by=model',
        week,
        `${week}&bucket=hour`,
        'model=model-3&bucket=day',
      ],
    ],
    '/usage/overview': ['bucket=hour', week, 'model=model-3', 'channel=channel-1', 'top=50'],
    '/users': [`search=person${accounts - 1}`],
  };
  return ['', ...(queries[path] ?? [])];
}

/** A path under the management API with its query, and a name for the report. */
export interface Read {
  readonly name: string;
  readonly path: string;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly required?: boolean }[];
}

/** Returns every GET without path parameters in the gateway's OpenAPI document, and the statement of a month. */
export function readsOf(
  document: { readonly paths: Readonly<Record<string, { readonly get?: Operation }>> },
  accounts: number,
): readonly Read[] {
  const month = new Date(Date.now() - DAY_MS).toISOString().slice(0, 7);
  const prefix = '/v1/management';
  const operations = Object.entries(document.paths).flatMap(([path, { get }]) => {
    const below = path.slice(prefix.length).replace('{month}', month);
    return get !== undefined &&
      path.startsWith(prefix) &&
      !below.includes('{') &&
      !LEFT_OUT.includes(below) &&
      !below.startsWith('/auth/')
      ? [{ path: below, get }]
      : [];
  });
  return operations.flatMap(({ path, get }) => {
    const isOfAccount = get.parameters?.some(({ name }) => name === 'account_id') === true;
    const askers = isOfAccount ? [OPERATOR, accountId(0), accountId(Math.floor(accounts / 2))] : [OPERATOR];
    return askers.flatMap((account) =>
      queriesOf(path, accounts).map((query) => {
        const search = [...(account === '' ? [] : [`account_id=${account}`]), ...(query === '' ? [] : [query])].join(
          '&',
        );
        return {
          name: `${path}${search === '' ? '' : `?${search}`}`,
          path: `${prefix}${path}${search === '' ? '' : `?${search}`}`,
        };
      }),
    );
  });
}
