import type { DescribedTag } from '../shared/openapi/described-endpoint.ts';

/** The groups of the management API, in the order of its documents. */
export const MANAGEMENT_TAGS = [
  { name: 'Account', description: 'The account, its settings and its limits.' },
  { name: 'Keys', description: 'API keys (`sk-…`) for inference. The secret is shown once.' },
  {
    name: 'Tokens',
    description: 'Management tokens (`mt-…`) for this API. The secret is shown when a token is created or rotated.',
  },
  { name: 'People', description: 'Users, their roles in accounts, invitations and sessions.' },
  { name: 'Channels', description: 'Ways to upstream providers: shared ones, and those of one account.' },
  { name: 'Models', description: 'Public models: status, prices, contract and facts.' },
  { name: 'Guards', description: 'Rules about the content of requests.' },
  { name: 'Catalog', description: 'Public price lists, previewed and imported.' },
  { name: 'Providers', description: 'The providers that channels can use, with the settings of each.' },
  { name: 'Balance', description: 'Balance, ledger, grants and adjustments.' },
  { name: 'Usage', description: 'Sums of requests, tokens and cost.' },
  { name: 'Requests', description: 'The request log.' },
  { name: 'Tasks', description: 'Asynchronous tasks, for operators.' },
  { name: 'Batches', description: 'Batches and their files.' },
  { name: 'Cache', description: 'Entries of the answer cache, and clients’ reports of them.' },
  { name: 'Alerts', description: 'Alert rules, targets, events and deliveries.' },
  { name: 'Accounts', description: 'All accounts, for operators.' },
  { name: 'Audit', description: 'The audit log: who changed what.' },
  { name: 'Settings', description: 'The settings in force, and their sources.' },
  { name: 'System', description: 'Version, nodes, database.' },
] as const satisfies readonly DescribedTag[];
