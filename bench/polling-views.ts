/** What a page of the dashboard asks again and again while it is seen. */
export interface PollingView {
  readonly name: string;
  /** Who has it open: an account's owner, who asks about that account, or an operator, who asks about all. */
  readonly by: 'owner' | 'operator';
  /** Below the management API, without the account. */
  readonly reads: readonly { readonly path: () => string; readonly everyMs: number }[];
}

const DAY_MS = 86_400_000;
const [MINUTE, FIVE_MINUTES] = [60_000, 300_000];

/** A day that ends at the next whole step, as the pages ask for it. */
function day(stepMs: number): string {
  const toMs = Math.ceil(Date.now() / stepMs) * stepMs;
  return `from=${new Date(toMs - DAY_MS).toISOString()}&to=${new Date(toMs).toISOString()}`;
}

function every(seconds: number, path: string | (() => string)) {
  return { path: typeof path === 'string' ? () => path : path, everyMs: seconds * 1_000 };
}

const overview = (top: number) => () => `/usage/overview?${day(MINUTE)}&bucket=hour&top=${top}`;
const traffic = () => `/usage?${day(FIVE_MINUTES)}&group_by=channel&limit=1000`;
/** Every page asks who has signed in, and shows alerts where it shows usage. */
const who = every(60, '/me');
const alerts = every(30, '/alerts/active?limit=100');

/** The views that ask most, each as the pages' own `every` says (`dashboard/pages`), of the shortest period that can be chosen. */
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
