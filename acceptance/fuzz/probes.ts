import type { DocumentOperation } from '../../conformance/openapi/document.ts';
import { asArray, asObject } from '../../conformance/shared/json.ts';
import { COMMON_GARBAGE, GARBAGE, PARAMETERS, VALUES } from './hostile.ts';
import { queryOf } from './objects.ts';
import type { Schemas } from './schemas.ts';

/** The number of values tried per member. The next member gets the next values, so that each value meets many members. */
const VALUES_OF_MEMBER = 2;
const VALUES_OF_PARAMETER = 2;

/** One request. */
export interface Probe {
  readonly about: string;
  readonly query: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/**
 * Returns the requests to send to an operation: a valid one, unless its body could delete what the others need, and invalid ones.
 * `isOpen` says that the caller may use the operation; only then are all kinds of garbage sent.
 */
export function probesOf(operation: DocumentOperation, schemas: Schemas, isOpen: boolean): readonly Probe[] {
  const query = queryOf(operation);
  const takesBody = operation.node.requestBody !== undefined;
  const [example] = Object.values(operation.examples);
  const usual = takesBody ? { body: JSON.stringify(example ?? {}) } : {};
  // A valid body might delete an account or change a setting that others need. Such operations get one invalid member instead.
  const plain: Probe[] =
    takesBody && operation.path.startsWith('/v1/management') ? [] : [{ about: 'plain', query, ...usual }];
  // The gateway forwards such a body without reading it, so only the upstream can reject it.
  const isRead = !('*/*' in asObject(asObject(operation.node.requestBody).content));
  const garbage = isOpen && isRead ? Object.keys(GARBAGE) : COMMON_GARBAGE;
  return [
    ...plain,
    ...(isOpen ? parameterProbes(operation, usual) : []),
    ...(takesBody ? garbage.map((about) => ({ about, query, body: GARBAGE[about] ?? '' })) : []),
    ...(takesBody && isOpen ? memberProbes(operation, schemas, query) : []),
  ];
}

/** Returns queries with invalid values for each documented parameter, and one with an undocumented parameter. */
function parameterProbes({ node }: DocumentOperation, usual: Pick<Probe, 'body'>): readonly Probe[] {
  const inQuery = asArray(node.parameters)
    .map(asObject)
    .filter((one) => one.in === 'query');
  const names = [...inQuery.map(({ name }) => String(name)), 'unknown'];
  const account = names.includes('account_id') ? [['account_id', 'big']] : [];
  return names.flatMap((name, at) =>
    rotated(PARAMETERS, at, VALUES_OF_PARAMETER).map((value, round) => {
      const pairs = [...account.filter(([own]) => own !== name), [name, value]];
      // Repeats some parameters many times.
      if (round === 0) for (let times = 0; times < 50; times++) pairs.push([name, '1']);
      const query = new URLSearchParams(pairs as [string, string][]);
      return { about: `${name} is ${JSON.stringify(value).slice(0, 40)}`, query: `?${query}`, ...usual };
    }),
  );
}

/** Returns example bodies with one invalid member. */
function memberProbes(operation: DocumentOperation, schemas: Schemas, query: string): readonly Probe[] {
  const schema = schemas.bodyOf(operation.node);
  if (schema === null) return [];
  const [example] = Object.values(operation.examples);
  return schemas.membersOf(schema).flatMap((name, at) =>
    rotated(VALUES, at, VALUES_OF_MEMBER).map((value) => ({
      about: `the member ${name} is ${JSON.stringify(value).slice(0, 40)}`,
      query,
      body: JSON.stringify({ ...asObject(example), [name]: value }),
    })),
  );
}

function rotated<Item>(items: readonly Item[], from: number, count: number): readonly Item[] {
  return Array.from({ length: count }, (_, at) => items[(from * count + at) % items.length] as Item);
}
