/** The reads that a page of the dashboard repeats while it is visible. */
export interface PollingView {
  readonly name: string;
  /** The viewer: an account's owner, for that account, or an operator, for all. */
  readonly by: 'owner' | 'operator';
  /** Paths under the management API, without the account. */
  readonly reads: readonly { readonly path: () => string; readonly everyMs: number }[];
}

const DAY_MS = 86_400_000;
const [MINUTE, FIVE_MINUTES] = [60_000, 300_000];

/** Returns a day that ends at the next whole step, as the pages request it. */
function day(stepMs: number): string {
  const toMs = Math.ceil(Date.now() / stepMs) * stepMs;
  return `from=${new Date(toMs - DAY_MS).toISOString()}&to=${new Date(toMs).toISOString()}`;
}

function every(seconds: number, path: string | (() => string)) {
  return { path: typeof path === 'string' ? () => path : path, everyMs: seconds * 1_000 };
}

const overview = (top: number) => () => `/usage/overview?${day(MINUTE)}&bucket=hour&top=${top}`;
const traffic = () => `/usage?${day(FIVE_MINUTES)}&group_by=channel&limit=1000`;
/** Every page reads the signed-in person, and alerts if it shows usage. */
const who = every(60, '/me');
const alerts = every(30, '/alerts/active?limit=100');

/** The views with the most reads, at the intervals of the pages' own `every` (`dashboard/pages`), and with the shortest period. */
export const POLLING_VIEWS: readonly PollingView[] = [
  {
    ...{ name: 'overview of an account', by: 'owner' },
    reads: [who, alerts, every(60, overview(8)), every(30, '/balance'), every(30, '/limits')],
  },
  {
    ...{ name: 'overview of all accounts', by: 'operator' },
    reads: [who, alerts, every(60, overview(8)), every(15, '/system')],
  },
  {
    ...{ name: 'channels', by: 'operator' },
    reads: [who, every(15, '/channels?limit=1000'), every(30, traffic)],
  },
  {
    ...{ name: 'channels, with one of them open', by: 'operator' },
    reads: [who, every(15, '/channels?limit=1000'), every(30, traffic), every(15, '/channels/openai')],
  },
  { ...{ name: 'nodes', by: 'operator' }, reads: [who, every(5, '/system')] },
  { ...{ name: 'models of an account', by: 'owner' }, reads: [who, every(60, '/models?limit=1000')] },
  { ...{ name: 'models', by: 'operator' }, reads: [who, every(60, '/models?limit=1000')] },
  { ...{ name: 'tasks of an account, one of them open', by: 'owner' }, reads: [who, every(10, '/tasks?limit=100')] },
  { ...{ name: 'tasks of all accounts', by: 'operator' }, reads: [who, every(10, '/tasks?limit=100')] },
  {
    ...{ name: 'cache', by: 'operator' },
    reads: [
      ...[who, every(60, overview(1)), every(15, '/cache/statistics')],
      ...[every(60, '/cache/entries?limit=100'), every(30, '/cache/reports')],
    ],
  },
  { ...{ name: 'active alerts', by: 'operator' }, reads: [who, every(10, '/alerts/active?limit=1000')] },
  { ...{ name: 'deliveries of alerts', by: 'operator' }, reads: [who, every(10, '/alerts/deliveries?limit=100')] },
  {
    ...{ name: 'budgets of an account', by: 'owner' },
    reads: [who, every(15, '/limits'), every(15, '/limits/keys?limit=1000')],
  },
  { ...{ name: 'balance of an account', by: 'owner' }, reads: [who, every(10, '/balance')] },
  { ...{ name: 'accounts', by: 'operator' }, reads: [who, every(30, '/accounts?limit=50')] },
  { ...{ name: 'first steps of an account', by: 'owner' }, reads: [who, every(4, '/keys?limit=200')] },
  {
    ...{ name: 'requests, where no more live views are taken', by: 'operator' },
    reads: [who, every(20, '/requests?limit=100')],
  },
];
