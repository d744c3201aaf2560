import type { BetterAuthOptions, DBAdapter, Where } from 'better-auth';
import { hashSecret } from '../engine/access/secrets.ts';

type Adapter = DBAdapter<BetterAuthOptions>;

interface Creation<Row> {
  model: string;
  data: Omit<Row, 'id'>;
  select?: string[] | undefined;
  forceAllowId?: boolean | undefined;
}

/**
 * Stores only hashes of session tokens, which the library would store as they are. A row that is looked up by its token is returned with
 * that token; listed rows contain hashes, which grant nothing.
 */
export function withHashedTokens(adapter: Adapter): Adapter {
  const wrapped: Adapter = {
    ...adapter,
    create: async <Row extends Record<string, unknown>, Result = Row>(options: Creation<Row>): Promise<Result> => {
      if (options.model !== 'session') return await adapter.create<Row, Result>(options);
      const created = await adapter.create<Row, Result>({ ...options, data: hashedRow(options.data) });
      return withTokens(created, [{ field: 'token', value: tokenIn(options.data) ?? '' }]);
    },
    findOne: async (options) => withTokens(await adapter.findOne(asked(options)), options.where),
    findMany: async <Row>(options: Parameters<Adapter['findMany']>[0]) => {
      const rows = await adapter.findMany<Row>(asked(options));
      return rows.map((row) => withTokens(row, options.where));
    },
    count: (options) => adapter.count(asked(options)),
    update: async (options) => withTokens(await adapter.update(given(options)), options.where),
    updateMany: (options) => adapter.updateMany(given(options)),
    delete: (options) => adapter.delete(asked(options)),
    deleteMany: (options) => adapter.deleteMany(asked(options)),
    consumeOne: async (options) => withTokens(await adapter.consumeOne(asked(options)), options.where),
    incrementOne: async (options) => withTokens(await adapter.incrementOne(asked(options)), options.where),
    // Every statement stands alone; the library's own fallback would bypass this wrapper.
    transaction: (work) => work(wrapped),
  };
  return wrapped;
}

function asked<Options extends { readonly model: string; readonly where?: Where[] | undefined }>(
  options: Options,
): Options {
  if (options.model !== 'session' || options.where === undefined) return options;
  return { ...options, where: options.where.map(hashedCondition) };
}

function given<Options extends { readonly model: string; readonly where: Where[]; readonly update: object }>(
  options: Options,
): Options {
  return options.model === 'session' ? { ...asked(options), update: hashedRow(options.update) } : options;
}

function hashedCondition(condition: Where): Where {
  const { field, value } = condition;
  if (field !== 'token') return condition;
  if (typeof value === 'string') return { ...condition, value: hashSecret(value) };
  if (!Array.isArray(value)) return condition;
  return { ...condition, value: value.map((one) => hashSecret(String(one))) };
}

function hashedRow<Row extends object>(row: Row): Row {
  const token = tokenIn(row);
  return token === null ? row : { ...row, token: hashSecret(token) };
}

/** Restores the token of a row that was looked up by it. */
function withTokens<Row>(row: Row, where: readonly Where[] | undefined): Row {
  const stored = tokenIn(row);
  if (stored === null) return row;
  const named = (where ?? []).flatMap(({ field, value }) => (field === 'token' ? [value].flat() : []));
  const token = named.find((one) => typeof one === 'string' && hashSecret(one) === stored);
  return token === undefined ? row : { ...row, token };
}

function tokenIn(row: unknown): string | null {
  if (typeof row !== 'object' || row === null || !('token' in row)) return null;
  return typeof row.token === 'string' ? row.token : null;
}
